/** A call of a model, made again in forks of its run: with another model, other instructions, messages or settings, several times. */
import { type ReactNode, useId, useState } from "react";
import { client } from "../api/client.js";
import { useSend } from "../api/use-send.js";
import {
  type AskedAgain,
  asAsked,
  askedAgainOptions,
  type CallPlace,
  type EditedMessage,
  readRequest,
} from "../model/asked-again.js";
import type { ModelCall } from "../model/model-call.js";
import { go, hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorBox } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";

export interface AskAgainDialogProps {
  readonly call: ModelCall;
  readonly place: CallPlace & { readonly runId: string };
  readonly onClose: () => void;
}

const MOST_RUNS = 20;

export function AskAgainDialog({ call, place, onClose }: AskAgainDialogProps): ReactNode {
  const { runId } = place;
  const [form, setForm] = useState<AskedAgain>(() => asAsked(call));
  const [times, setTimes] = useState("1");
  const { isSending, error, send } = useSend();
  const { value, broken } = readRequest(call, form);
  const count = Number(times);
  const isCount = Number.isInteger(count) && count >= 1 && count <= MOST_RUNS;
  const set = (fields: Partial<AskedAgain>): void => setForm({ ...form, ...fields });
  const ask = async (): Promise<void> => {
    const ids = namesOf(runId, count);
    const options = askedAgainOptions(place, value);
    await Promise.all(ids.map((handlerId) => client.fork(runId, { ...options, handlerId }).accepted));
    onClose();
    go(hrefOf("compare", runId, ids[0] ?? "", ...(count > 1 ? ids : [])));
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="primary" icon="fork" disabled={broken.length > 0 || !isCount || isSending}>
        {count > 1 && isCount ? `Ask ${count} times` : "Ask again"}
      </Button>
    </>
  );
  return (
    <Dialog
      title="Ask again"
      intro={<Intro runId={runId} at={place.at} />}
      actions={actions}
      isWide
      onClose={onClose}
      onSubmit={() => send(ask)}
    >
      {call.record !== "full" && (
        <p className="hint">
          Parts of the request were not recorded. What you leave as it is stays as the agent makes it.
        </p>
      )}
      <TextField
        label="Model"
        autoComplete="off"
        spellCheck={false}
        value={form.model}
        onText={(model) => set({ model })}
      />
      <Area label="Instructions" text={form.instructions} onText={(instructions) => set({ instructions })} />
      <Messages messages={form.messages} broken={broken} onChange={(messages) => set({ messages })} />
      <Area
        label="Settings"
        text={form.settings}
        isBroken={broken.includes("settings")}
        problem="Not an object of JSON."
        onText={(settings) => set({ settings })}
      />
      <Times value={times} isBroken={!isCount} onChange={setTimes} />
      {error !== null && <ErrorBox error={error} />}
    </Dialog>
  );
}

function Intro({ runId, at }: { readonly runId: string; readonly at: number }): ReactNode {
  return (
    <>
      New runs that have lived through ticks 1 to {at} of <bdi className="mono">{runId}</bdi>, and make this call with
      another request. Later calls of the same conversation follow from it. The run itself stays as it is.
    </>
  );
}

/** One id for each run, which nobody else has. */
function namesOf(runId: string, count: number): readonly string[] {
  const mark = crypto.randomUUID().slice(0, 4);
  return Array.from({ length: count }, (_none, index) => `${runId}-asked-${mark}${count > 1 ? `-${index + 1}` : ""}`);
}

interface MessagesProps {
  readonly messages: readonly EditedMessage[];
  /** Positions among others. */
  readonly broken: readonly (string | number)[];
  readonly onChange: (messages: readonly EditedMessage[]) => void;
}

function Messages({ messages, broken, onChange }: MessagesProps): ReactNode {
  return (
    <fieldset className="field messages">
      <legend>Messages</legend>
      {messages.map((message, place) => (
        <div key={String(place)} className="row">
          <Area
            label={`${place + 1}: ${message.role}`}
            text={message.text}
            isBroken={broken.includes(place)}
            problem="Not a list of JSON."
            onText={(text) => onChange(messages.with(place, { ...message, text }))}
          />
          <Button
            kind="ghost"
            icon="minus"
            isSmall
            aria-label={`Remove message ${place + 1}`}
            disabled={messages.length === 1}
            onClick={() => onChange(messages.toSpliced(place, 1))}
          />
        </div>
      ))}
      <div>
        <Button isSmall onClick={() => onChange([...messages, { role: "user", text: "", isJson: false }])}>
          Add a message of the user
        </Button>
      </div>
    </fieldset>
  );
}

interface AreaProps {
  readonly label: string;
  readonly text: string;
  readonly isBroken?: boolean;
  readonly problem?: string;
  readonly onText: (text: string) => void;
}

/** Rows that show the text, within limits. */
const rowsOf = (text: string): number => Math.min(10, Math.max(2, text.split("\n").length));

function Area({ label, text, isBroken = false, problem = "", onText }: AreaProps): ReactNode {
  const id = useId();
  return (
    <div className="field grow">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={rowsOf(text)}
        value={text}
        autoComplete="off"
        aria-invalid={isBroken}
        {...(isBroken && { "aria-describedby": `${id}-error` })}
        onChange={(event) => onText(event.target.value)}
      />
      {isBroken && (
        <span className="err" id={`${id}-error`}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface TimesProps {
  readonly value: string;
  readonly isBroken: boolean;
  readonly onChange: (value: string) => void;
}

function Times({ value, isBroken, onChange }: TimesProps): ReactNode {
  const id = useId();
  return (
    <div className="field times">
      <label htmlFor={id}>
        Runs<span className="req">1 to {MOST_RUNS}</span>
      </label>
      <input
        id={id}
        type="number"
        min={1}
        max={MOST_RUNS}
        value={value}
        aria-invalid={isBroken}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
