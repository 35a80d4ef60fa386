import { type ReactNode, useEffect, useMemo } from "react";
import { type FieldErrors, type FieldValues, FormProvider, type Resolver, set, useForm } from "react-hook-form";
import type { JsonObject, JsonSchema } from "../../api/contract.types.js";
import { defaultsOf, fieldsOf } from "./asked-field.js";
import { Field, pathOf, Unread } from "./fields.js";
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
  /** Buttons below the fields, and whatever else belongs there. */
  readonly children: ReactNode;
}

/** A form made of a JSON schema. What it does not know how to ask for is asked for as JSON. */
export function SchemaForm({ schema, id, value, onChange, onSubmit, children }: SchemaFormProps): ReactNode {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const resolver = useMemo(() => resolverOf(schema), [schema]);
  const form = useForm({ defaultValues: toHeld({ ...defaultsOf(schema), ...value }), resolver });
  useEffect(() => {
    if (onChange === undefined) return;
    return form.subscribe({ formState: { values: true }, callback: ({ values }) => onChange(fromHeld(values)) });
  }, [form, onChange]);
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
        {children}
      </form>
    </FormProvider>
  );
}

function resolverOf(schema: JsonSchema): Resolver<FieldValues> {
  return (held) => {
    const values = fromHeld(held);
    const errors: FieldErrors = {};
    for (const { path, message } of [...unread(held, []), ...problemsOf(schema, values)])
      set(errors, pathOf(path), { type: "schema", message });
    return Object.keys(errors).length > 0 ? { values: {}, errors } : { values, errors: {} };
  };
}

function unread(held: FieldValues, path: readonly string[]): { path: readonly string[]; message: string }[] {
  return Object.entries(held).flatMap(([name, value]) => {
    const own = [...path, name];
    if (value instanceof Unread) return [{ path: own, message: "Not JSON yet." }];
    return isPlain(value) ? unread(value, own) : [];
  });
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** What was filled in: nothing for what was left empty. */
function fromHeld(held: FieldValues): JsonObject {
  const entries = Object.entries(held)
    .filter(([, value]) => value !== undefined && !(value instanceof Unread))
    .map(([name, value]) => [name.replaceAll("\u2024", "."), isPlain(value) ? fromHeld(value) : value] as const);
  return Object.fromEntries(entries);
}

function toHeld(value: JsonObject): FieldValues {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [pathOf([name]), one]));
}
