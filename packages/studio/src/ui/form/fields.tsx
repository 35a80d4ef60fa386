/** The fields of a form made of a JSON schema. */
import { type ReactNode, useState } from "react";
import type { Json } from "../../api/json.types.js";
import { short } from "../format.js";
import type { AskedField } from "./asked-field.js";
import { useFormState } from "./form-context.js";
import { type FieldPath, keyOf, valueAt } from "./form-values.js";
import { JsonText } from "./json-text.js";

export interface FieldProps {
  readonly field: AskedField;
  readonly path: FieldPath;
  readonly id: string;
}

export function Field({ field, path, id }: FieldProps): ReactNode {
  if (field.kind === "fields") return <Nested field={field} path={path} id={id} />;
  return <Single field={field} path={path} id={id} />;
}

function Nested({ field, path, id }: FieldProps): ReactNode {
  return (
    <fieldset className="field nested">
      <legend>
        {field.name}
        {!field.isRequired && <span className="req">optional</span>}
      </legend>
      {field.hint !== "" && <span className="hint">{field.hint}</span>}
      <div className="fields">
        {field.fields.map((inner) => (
          <Field key={inner.name} field={inner} path={[...path, inner.name]} id={`${id}-${inner.name}`} />
        ))}
      </div>
    </fieldset>
  );
}

interface InputProps {
  readonly id: string;
  readonly asked: AskedField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly aria: { readonly "aria-invalid": boolean; readonly "aria-describedby": string };
}

function Single({ field, path, id }: FieldProps): ReactNode {
  const { values, errors, change } = useFormState();
  const message = errors.get(keyOf(path)) ?? "";
  const aria = { "aria-invalid": message !== "", "aria-describedby": `${id}-hint ${id}-error` };
  const Input = inputs[field.kind as keyof typeof inputs];
  const name = (
    <>
      {field.name}
      {!field.isRequired && <span className="req">optional</span>}
    </>
  );
  const hint = (
    <span className="hint" id={`${id}-hint`}>
      {field.hint}
    </span>
  );
  const error = (
    <span className="err" id={`${id}-error`}>
      {message}
    </span>
  );
  const onChange = (value: unknown): void => change(path, value);
  const input = <Input id={id} asked={field} value={valueAt(values, path)} onChange={onChange} aria={aria} />;
  if (field.kind === "question" || field.kind === "choices" || field.kind === "picks") {
    return (
      <fieldset className="field">
        <legend>{name}</legend>
        {hint}
        {input}
        {error}
      </fieldset>
    );
  }
  return (
    <div className="field">
      {field.kind !== "switch" && <label htmlFor={id}>{name}</label>}
      {input}
      {hint}
      {error}
    </div>
  );
}

function LineInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const isNumber = asked.kind === "number";
  const valueIn = (input: HTMLInputElement): string | number => (isNumber ? input.valueAsNumber : input.value);
  return (
    <input
      {...aria}
      {...(isNumber && { step: asked.schema.type === "integer" ? 1 : "any" })}
      type={isNumber ? "number" : "text"}
      id={id}
      autoComplete="off"
      value={typeof value === "string" || typeof value === "number" ? value : ""}
      onChange={({ target }) => onChange(target.value === "" ? undefined : valueIn(target))}
    />
  );
}

function LongInput({ id, value, onChange, aria }: InputProps): ReactNode {
  const text = typeof value === "string" ? value : "";
  const rows = Math.min(16, Math.max(4, text.split("\n").length + 1));
  return (
    <textarea
      {...aria}
      id={id}
      rows={rows}
      value={text}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    />
  );
}

const dateTypes = { date: "date", datetime: "datetime-local", time: "time" } as const;

/** A moment is written in the time of the person, and sent in UTC. */
function DateInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const isMoment = asked.kind === "datetime";
  const text = typeof value === "string" ? value : "";
  const edit = (next: string): void => {
    if (next === "") onChange(undefined);
    else onChange(isMoment ? new Date(next).toISOString() : next);
  };
  return (
    <input
      {...aria}
      type={dateTypes[asked.kind as keyof typeof dateTypes]}
      id={id}
      value={isMoment ? localTime(text) : text}
      onChange={({ target }) => edit(target.value)}
    />
  );
}

function localTime(text: string): string {
  const moment = new Date(text);
  if (text === "" || Number.isNaN(moment.getTime())) return "";
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A list of texts: one in each line. Where it need not be given, an empty list is left out. */
function LinesInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const [text, setText] = useState(() => (Array.isArray(value) ? value.join("\n") : ""));
  const edit = (next: string): void => {
    setText(next);
    const items = next.split("\n").filter((line) => line.trim() !== "");
    onChange(items.length === 0 && !asked.isRequired ? undefined : items);
  };
  return (
    <textarea
      {...aria}
      id={id}
      rows={Math.min(12, Math.max(3, text.split("\n").length + 1))}
      placeholder="One in each line"
      value={text}
      onChange={({ target }) => edit(target.value)}
    />
  );
}

/** Several of a few. */
function PicksInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const choices = choicesOf({ ...asked, schema: (asked.schema["items"] ?? {}) as AskedField["schema"] });
  const change = (of: Json, isOn: boolean): void =>
    onChange(choices.map((choice) => choice.value).filter((one) => (one === of ? isOn : chosen.includes(one))));
  return (
    <div className="picks">
      {choices.map((choice, index) => (
        <label key={choice.label}>
          <input
            type="checkbox"
            {...aria}
            id={`${id}-${index}`}
            checked={chosen.includes(choice.value)}
            onChange={({ target }) => change(choice.value, target.checked)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}

function SwitchInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const isOn = value === true;
  return (
    <label className="switch" htmlFor={id}>
      <input
        {...aria}
        type="checkbox"
        role="switch"
        id={id}
        checked={isOn}
        aria-checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {asked.name}
    </label>
  );
}

interface Choice {
  readonly value: Json;
  readonly label: string;
}

const answers: readonly Choice[] = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

function choicesOf({ schema }: AskedField): readonly Choice[] {
  return (schema.enum ?? []).map((value) => ({ value, label: typeof value === "string" ? value : short(value) }));
}

/** Radio buttons that look like a row of buttons. */
function ChoiceInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const choices = asked.kind === "question" ? answers : choicesOf(asked);
  return (
    <div className="seg radios">
      {choices.map((choice, index) => (
        <label key={choice.label} className={choice.value === value ? "on" : ""}>
          <input
            type="radio"
            className="sr"
            {...aria}
            id={`${id}-${index}`}
            name={id}
            data-answer={asked.kind === "question" ? (choice.value === true ? "yes" : "no") : undefined}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}

function SelectInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const choices = choicesOf(asked);
  return (
    <select
      {...aria}
      id={id}
      value={choices.findIndex((choice) => choice.value === value)}
      onChange={(event) => onChange(choices[Number(event.target.value)]?.value)}
    >
      <option value={-1}>–</option>
      {choices.map((choice, index) => (
        <option key={choice.label} value={index}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/**
 * A value of any shape, as JSON. What is not JSON yet is kept as the text that it is, and refused when it is sent; where anything may
 * be given, it is the text that is meant.
 */
function JsonInput({ id, asked, value, onChange, aria }: InputProps): ReactNode {
  const isAny = asked.kind === "any";
  const [text, setText] = useState(() => {
    if (value === undefined) return "";
    return isAny && typeof value === "string" ? value : JSON.stringify(value, null, 2);
  });
  const edit = (next: string): void => {
    setText(next);
    const read = new JsonText(next).value;
    if (next.trim() === "") onChange(undefined);
    else onChange(isAny && read instanceof JsonText ? next : read);
  };
  return (
    <textarea
      {...aria}
      id={id}
      rows={isAny ? 2 : 4}
      spellCheck={false}
      placeholder={isAny ? "Text or JSON" : "JSON"}
      value={text}
      onChange={(event) => edit(event.target.value)}
    />
  );
}

const inputs: Readonly<Record<Exclude<AskedField["kind"], "fields">, (props: InputProps) => ReactNode>> = {
  text: LineInput,
  long: LongInput,
  date: DateInput,
  datetime: DateInput,
  time: DateInput,
  lines: LinesInput,
  picks: PicksInput,
  number: LineInput,
  switch: SwitchInput,
  question: ChoiceInput,
  choices: ChoiceInput,
  select: SelectInput,
  json: JsonInput,
  any: JsonInput,
};
