import type { RunLabels } from "@millrace/client";
import { type ReactNode, useState } from "react";
import { client } from "../api/client.js";
import type { JsonObject, JsonSchema } from "../api/json.types.js";
import { useRead } from "../api/use-read.js";
import { useSend } from "../api/use-send.js";
import { go, hrefOf } from "../route.js";
import { Button, type Choice, Segmented } from "../ui/controls.js";
import { defaultsOf } from "../ui/form/asked-field.js";
import { JsonForm, JsonText } from "../ui/form.js";
import { isRecord } from "../ui/format.js";
import { ErrorBox, Read } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";

export type InputAs = "form" | "json";

const choices: readonly Choice<InputAs>[] = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
];

export interface InputAsChoiceProps {
  readonly value: InputAs;
  readonly onChange: (inputAs: InputAs) => void;
}

export function InputAsChoice({ value, onChange }: InputAsChoiceProps): ReactNode {
  return <Segmented label="Input as" choices={choices} value={value} onChange={onChange} />;
}

export interface StartFormProps {
  readonly name: string;
  readonly inputAs: InputAs;
  /** What is filled in at first, over the defaults of the schema. */
  readonly input?: JsonObject;
  readonly labels?: RunLabels;
  /** Text of the button. */
  readonly button: string;
}

/** Starts a run: with a form made of the schema of what starts it, or with JSON. */
export function StartForm({ name, inputAs, input: first = {}, labels = {}, button }: StartFormProps): ReactNode {
  const schema = useRead(`schema ${name}`, (signal) => client.schema(name, { signal }));
  const [input, setInput] = useState<JsonObject>(first);
  const { submit, footer } = useStart(name, labels, button);
  return (
    <Read reading={schema} rows={4}>
      {({ start }) =>
        inputAs === "form" ? (
          <JsonForm id="start" schema={start as JsonSchema} value={input} onChange={setInput} onSubmit={submit}>
            {footer}
          </JsonForm>
        ) : (
          <JsonInput
            value={{ ...defaultsOf(start as JsonSchema), ...input }}
            label={(start as JsonSchema).title ?? "Input"}
            onChange={setInput}
            onSubmit={submit}
          >
            {footer}
          </JsonInput>
        )
      }
    </Read>
  );
}

interface JsonInputProps {
  readonly label: string;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
  readonly onSubmit: (value: JsonObject) => void;
  readonly children: ReactNode;
}

function JsonInput({ label, value, onChange, onSubmit, children }: JsonInputProps): ReactNode {
  const [written, setWritten] = useState<JsonObject | null>(value);
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (written !== null) onSubmit(written);
      }}
    >
      <JsonText
        label={label}
        value={value}
        onChange={(next) => {
          const object = isRecord(next) ? (next as JsonObject) : null;
          setWritten(object);
          if (object !== null) onChange(object);
        }}
      />
      {children}
    </form>
  );
}

/** What every start has below its fields: id, labels, the button, and why the server has refused. */
function useStart(
  name: string,
  given: RunLabels,
  button: string,
): { readonly submit: (input: JsonObject) => void; readonly footer: ReactNode } {
  const [runId, setRunId] = useState("");
  const written = textOf(given);
  const [labels, setLabels] = useState(written);
  const { isSending, error, send } = useSend();
  const start = async (input: JsonObject): Promise<void> => {
    // Values that hold a comma survive only as they were given.
    const chosen = labels === written ? given : labelsIn(labels);
    const options = { ...(runId.trim() !== "" && { handlerId: runId.trim() }), labels: chosen };
    const run = client.run(name, input, options);
    await run.accepted;
    go(hrefOf("run", run.handlerId));
  };
  const footer = (
    <>
      <details>
        <summary className="ink2">Id and labels</summary>
        <div className="fields idfields">
          <TextField
            label="Run id"
            isOptional
            placeholder="made up"
            autoComplete="off"
            value={runId}
            onText={setRunId}
          />
          <TextField
            label="Labels"
            isOptional
            placeholder="team=content, env=dev"
            autoComplete="off"
            value={labels}
            onText={setLabels}
          />
        </div>
      </details>
      {error !== null && <ErrorBox error={error} />}
      <Button type="submit" kind="primary" icon="play" className="start" disabled={isSending}>
        {button}
      </Button>
    </>
  );
  return { submit: (input) => send(() => start(input)), footer };
}

function textOf(labels: RunLabels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

function labelsIn(text: string): RunLabels {
  const pairs = text
    .split(/[,\n]/)
    .map((pair) => pair.trim())
    .filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
}
