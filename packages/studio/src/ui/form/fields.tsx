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
  if (field.kind === "question" || field.kind === "choices") {
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
  number: LineInput,
  switch: SwitchInput,
  question: ChoiceInput,
  choices: ChoiceInput,
  select: SelectInput,
  json: JsonInput,
  any: JsonInput,
};
