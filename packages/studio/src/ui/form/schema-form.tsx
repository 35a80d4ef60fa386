import { type ReactNode, useEffect, useMemo } from "react";
import { type FieldValues, FormProvider, type Resolver, useForm } from "react-hook-form";
import type { JsonObject, JsonSchema } from "../../api/contract.types.js";
import { type AskedField, defaultsIn, fieldsOf } from "./asked-field.js";
import { Field } from "./fields.js";
import { errorsOf, fromHeld, toHeld, unreadIn } from "./form-values.js";
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
  const resolver = useMemo(() => resolverOf(schema, fields), [schema, fields]);
  const form = useForm({ defaultValues: toHeld({ ...defaultsIn(fields), ...value }, fields), resolver });
  useEffect(() => {
    if (onChange === undefined) return;
    return form.subscribe({
      formState: { values: true },
      callback: ({ values }) => onChange(fromHeld(values, fields)),
    });
  }, [form, fields, onChange]);
  const whole = form.formState.errors["form"]?.message;
  return (
    <FormProvider {...form}>
      <form className="form" noValidate onSubmit={form.handleSubmit((values) => onSubmit(values as JsonObject))}>
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
              {String(whole)}
            </span>
          </div>
        )}
        {children}
      </form>
    </FormProvider>
  );
}

function resolverOf(schema: JsonSchema, fields: readonly AskedField[]): Resolver<FieldValues> {
  return (held) => {
    const values = fromHeld(held, fields);
    const errors = errorsOf([...unreadIn(held, fields), ...problemsOf(schema, values)], fields);
    return Object.keys(errors).length > 0 ? { values: {}, errors } : { values, errors: {} };
  };
}
