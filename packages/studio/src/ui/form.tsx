/** Forms. The library behind them is loaded with the first one that is shown. */
import { lazy, type ReactNode, Suspense, useId, useState } from "react";
import type { Json } from "../api/json.types.js";
import { later } from "../api/later.js";
import type { SchemaFormProps } from "./form/schema-form.js";
import { Loading } from "./states.js";

const SchemaForm = lazy(later(async () => (await import("./form/schema-form.js")).SchemaForm));

/** A form made of a JSON schema. */
export function JsonForm(props: SchemaFormProps): ReactNode {
  return (
    <Suspense fallback={<Loading rows={3} />}>
      <SchemaForm {...props} />
    </Suspense>
  );
}

export interface JsonTextProps {
  readonly label: string;
  readonly value: Json;
  /** `undefined` while what is written is not JSON. */
  readonly onChange: (value: Json | undefined) => void;
}

/** A value as JSON, to be edited. */
export function JsonText({ label, value, onChange }: JsonTextProps): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState("");
  const id = useId();
  const edit = (next: string): void => {
    setText(next);
    try {
      onChange(JSON.parse(next) as Json);
      setProblem("");
    } catch (error) {
      onChange(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={9}
        spellCheck={false}
        value={text}
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-error`}
        onChange={(event) => edit(event.target.value)}
      />
      <span className="err" id={`${id}-error`}>
        {problem}
      </span>
    </div>
  );
}
