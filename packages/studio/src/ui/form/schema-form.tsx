import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { JsonObject, JsonSchema } from "../../api/json.types.js";
import { defaultsIn, fieldsOf } from "./asked-field.js";
import { Field } from "./fields.js";
import { FormProvider, type FormState } from "./form-context.js";
import {
  errorsOf,
  type FieldPath,
  type FormErrors,
  type FormValues,
  keyOf,
  sentOf,
  unreadIn,
  withValue,
} from "./form-values.js";
import { problemsOf } from "./validate.js";

export interface SchemaFormProps {
  readonly schema: JsonSchema;
  /** Begins the ids of the fields: forms of one page have different ones. */
  readonly id: string;
  /** What is filled in at first, over the defaults of the schema. */
  readonly value?: JsonObject;
  readonly onChange?: (value: JsonObject) => void;
  /** Called with what was filled in, once it fits the schema. */
  readonly onSubmit: (value: JsonObject) => void;
  /** Buttons and other content below the fields. */
  readonly children: ReactNode;
}

/** A form made of a JSON schema. Properties without a suitable field are entered as JSON. */
export function SchemaForm({ schema, id, value, onChange, onSubmit, children }: SchemaFormProps): ReactNode {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [values, setValues] = useState<FormValues>(() => ({ ...defaultsIn(fields), ...value }));
  const errorsIn = (held: FormValues): FormErrors =>
    errorsOf([...unreadIn(held, fields), ...problemsOf(schema, sentOf(held, fields))], fields);
  const [refusals, setRefusals] = useState(0);
  const errors = refusals === 0 ? noErrors : errorsIn(values);
  const change = (path: FieldPath, next: unknown): void => {
    const after = withValue(values, path, next);
    setValues(after);
    onChange?.(sentOf(after, fields));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (errorsIn(values).size > 0) setRefusals(refusals + 1);
    else onSubmit(sentOf(values, fields));
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refusals]);
  const state: FormState = { values, errors, change };
  const whole = errors.get(keyOf([]));
  return (
    <FormProvider value={state}>
      <form className="form" noValidate ref={form} onSubmit={submit}>
        {fields.length > 0 && (
          <div className="fields">
            {fields.map((field) => (
              <Field key={field.name} field={field} path={[field.name]} id={`${id}-${field.name}`} />
            ))}
          </div>
        )}
        {whole !== undefined && (
          <div className="field">
            <span className="err" role="alert">
              {whole}
            </span>
          </div>
        )}
        {children}
      </form>
    </FormProvider>
  );
}

const noErrors: FormErrors = new Map();
