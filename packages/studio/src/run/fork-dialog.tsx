/** A fork: what it keeps, what it runs again, and what shall be different. The call is shown as it will be made. */

import type { RunAttempt, RunMoment } from "@millrace/client";
import { type ReactNode, useId, useState } from "react";
import { client } from "../api/client.js";
import { useSend } from "../api/use-send.js";
import { type ForkPlan, forkOptions, forkPlan, forkRefusal, type NextItem, readEdits } from "../model/fork-plan.js";
import { pipelineStateOf } from "../model/pipeline-input.js";
import { go, hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { isRecord, plural } from "../ui/format.js";
import { ErrorBox, Loading } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";

export interface ForkDialogProps {
  readonly runId: string;
  readonly tick: number;
  /** `null` while it is loading. */
  readonly moment: RunMoment | null;
  readonly attempts: readonly RunAttempt[];
  /** The item whose event is to be changed; `null` for none yet. */
  readonly item: number | null;
  readonly onClose: () => void;
}

/** One dialog from the first moment on: another one in its place would lose the focus, and an Escape that is on its way. */
export function ForkDialog({ runId, tick, moment, attempts, item, onClose }: ForkDialogProps): ReactNode {
  const plan = moment === null ? null : forkPlan({ runId, attempts, moment });
  const refusal = forkRefusal(moment);
  const edited = useForkEdits({ runId, tick, moment, item, items: plan?.next ?? [] });
  const { options, isBroken } = edited;
  const { isSending, error, send } = useSend();
  const fork = async (): Promise<void> => {
    const made = client.fork(runId, options);
    await made.accepted;
    onClose();
    go(hrefOf("run", made.handlerId));
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        type="submit"
        kind="primary"
        icon="fork"
        disabled={plan === null || refusal !== null || isBroken || isSending}
      >
        Fork
      </Button>
    </>
  );
  const intro = (
    <>
      A new run that has lived through ticks 1 to {tick} of <span className="mono">{runId}</span>. The run itself stays
      as it is.
    </>
  );
  return (
    <Dialog
      title={`Fork from tick ${tick}`}
      intro={intro}
      actions={actions}
      onClose={onClose}
      onSubmit={() => send(fork)}
    >
      {refusal !== null && <p>{refusal}</p>}
      {plan === null ? (
        <>
          <Loading rows={4} />
          <span className="sr">Reading what {runId} was doing then</span>
        </>
      ) : (
        <ForkForm runId={runId} plan={plan} edited={edited} />
      )}
      {error !== null && <ErrorBox error={error} />}
    </Dialog>
  );
}

interface ForkFormProps {
  readonly runId: string;
  readonly plan: ForkPlan;
  readonly edited: ReturnType<typeof useForkEdits>;
}

function ForkForm({ runId, plan, edited }: ForkFormProps): ReactNode {
  const { options, next, open } = edited;
  return (
    <>
      <Plan plan={plan} />
      <TextField
        label="Id of the new run"
        autoComplete="off"
        spellCheck={false}
        value={edited.handlerId}
        onText={edited.setHandlerId}
      />
      <Fields title="State" hint="change what should be different" {...edited.state} />
      {open.length > 1 && <ItemChoice items={open} chosen={edited.chosen} onChange={edited.choose} />}
      {next !== undefined && (
        <Fields
          key={next.item}
          title={next.eventType}
          hint={`the event that ${next.step} gets next`}
          {...edited.event}
        />
      )}
      <Refusals items={plan.next} />
      <details>
        <summary className="lbl">Call</summary>
        <pre className="req">{`client.fork(${JSON.stringify(runId)}, ${JSON.stringify(options, null, 2)})`}</pre>
      </details>
    </>
  );
}

type Texts = ReadonlyMap<string, string>;

interface ForkFacts extends Pick<ForkDialogProps, "runId" | "tick" | "moment" | "item"> {
  readonly items: readonly NextItem[];
}

/** What was typed, and the options that it makes. */
function useForkEdits({ runId, tick, moment, items, item: given }: ForkFacts) {
  const [handlerId, setHandlerId] = useState(() => `${runId}-fork${tick}`);
  const [stateTexts, setStateTexts] = useState<Texts>(new Map());
  const [eventTexts, setEventTexts] = useState<Texts>(new Map());
  const [chosen, setChosen] = useState<number | null>(given);
  const open = items.filter(({ refusal }) => refusal === null);
  const next = open.length === 1 ? open[0] : open.find(({ item }) => item === chosen);
  const before = isRecord(moment?.state) ? moment.state : {};
  const closed = moment?.closed ?? [];
  const state = readEdits(stateTexts, before);
  const event = readEdits(eventTexts, next?.fields ?? {});
  const choose = (item: number | null): void => {
    setChosen(item);
    setEventTexts(new Map());
  };
  const item = items.length > 1 ? (next?.item ?? null) : null;
  return {
    handlerId,
    setHandlerId,
    chosen,
    choose,
    next,
    open,
    isBroken: state.broken.length + event.broken.length > 0,
    options: forkOptions({ at: tick, handlerId, state: state.edits, event: event.edits, item }),
    state: {
      ...state,
      before,
      closed,
      isPipeline: pipelineStateOf(before) !== null,
      texts: stateTexts,
      onChange: setStateTexts,
    },
    event: {
      ...event,
      before: next?.fields ?? {},
      closed: [],
      isPipeline: false,
      texts: eventTexts,
      onChange: setEventTexts,
    },
  };
}

/** Of a fan-out each element is refused for the same reason. */
function Refusals({ items }: { readonly items: readonly NextItem[] }): ReactNode {
  const lines = items.flatMap(({ eventType, step, refusal }) =>
    refusal === null ? [] : [`${inputName(eventType)} of ${step} stays as it is. ${refusal}`],
  );
  return [...new Set(lines)].map((line) => (
    <p key={line} className="hint">
      {line}
    </p>
  ));
}

/** Events of pipelines only name places. */
function inputName(eventType: string): string {
  return eventType.startsWith("pipeline.") ? "The input" : `The input ${eventType}`;
}

function Plan({ plan: { kept, again } }: { readonly plan: ForkPlan }): ReactNode {
  return (
    <dl className="kv wide">
      <div>
        <dt>Kept</dt>
        <dd>{plural(kept, "finished attempt")}</dd>
      </div>
      <div>
        <dt>Runs again</dt>
        <dd>{again.length === 0 ? "nothing is under way at this tick" : again.map(againText).join(", ")}</dd>
      </div>
    </dl>
  );
}

function againText({ step, items, of }: { step: string; items: number; of: number }): string {
  return of > 1 ? `${step} (${items} of ${of})` : step;
}

interface FieldsProps {
  readonly title: string;
  readonly hint: string;
  readonly before: Readonly<Record<string, unknown>>;
  /** Fields that stay as they are. */
  readonly closed: readonly string[];
  /** All that stays as it is says where a pipeline is. */
  readonly isPipeline: boolean;
  readonly texts: Texts;
  readonly edits: Readonly<Record<string, unknown>>;
  readonly broken: readonly string[];
  readonly onChange: (texts: Texts) => void;
}

function Fields({ title, hint, before, closed, isPipeline, texts, edits, broken, onChange }: FieldsProps): ReactNode {
  const id = useId();
  const names = Object.keys(before).filter((name) => !closed.includes(name));
  return (
    <div>
      <div className="lbl">
        {title} <span className="req">{hint}</span>
      </div>
      <div className="stedit">
        {names.map((name) => (
          <FieldRow
            key={name}
            id={`${id}-${name}`}
            name={name}
            text={texts.get(name) ?? JSON.stringify(before[name])}
            isChanged={name in edits}
            isBroken={broken.includes(name)}
            onChange={(text) => onChange(new Map(texts).set(name, text))}
          />
        ))}
        {names.length + closed.length === 0 && <span className="muted">empty</span>}
      </div>
      {closed.length > 0 && (
        <p className="hint">
          {isPipeline ? "Outputs of finished steps stay as they are." : `Stays as it is: ${closed.join(", ")}.`}
        </p>
      )}
    </div>
  );
}

interface FieldRowProps {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isChanged: boolean;
  readonly isBroken: boolean;
  readonly onChange: (text: string) => void;
}

function FieldRow({ id, name, text, isChanged, isBroken, onChange }: FieldRowProps): ReactNode {
  return (
    <>
      <label htmlFor={id} className="cut" title={name}>
        {name}
      </label>
      <div>
        <textarea
          id={id}
          rows={rowsOf(text)}
          value={text}
          className={isChanged ? "changed" : ""}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={isBroken}
          {...(isBroken && { "aria-describedby": `${id}-error` })}
          onChange={(event) => onChange(event.target.value)}
        />
        {isBroken && (
          <span className="err" id={`${id}-error`}>
            Not JSON: texts stand in quotes.
          </span>
        )}
      </div>
    </>
  );
}

/** Letters of a row of a field, as it is on a laptop. */
const LETTERS = 44;

function rowsOf(text: string): number {
  return Math.min(
    8,
    text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / LETTERS)), 0),
  );
}

interface ItemChoiceProps {
  readonly items: readonly NextItem[];
  readonly chosen: number | null;
  readonly onChange: (item: number | null) => void;
}

function ItemChoice({ items, chosen, onChange }: ItemChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        Change an event<span className="req">of the {items.length} that are delivered next</span>
      </label>
      <select
        id={id}
        value={chosen ?? ""}
        onChange={(event) => onChange(event.target.value === "" ? null : Number(event.target.value))}
      >
        <option value="">None</option>
        {items.map(({ item, step, eventType }) => (
          <option key={item} value={item}>
            {eventType} to {step}, item {item}
          </option>
        ))}
      </select>
    </div>
  );
}
