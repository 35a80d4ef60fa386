/**
 * Schemas of the fields of an event or a state: a record of Standard Schemas, or one Standard Schema of an object.
 *
 * `FieldsIn` and `FieldsOut` are evaluated where they are used, so that hovers and `.d.ts` files show `{ text: string
 * }` instead of types of a schema library.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";

/** One schema per field. */
export interface FieldSchemas {
  readonly [field: string]: StandardSchema;
}

export type ObjectSchema = FieldSchemas | StandardSchema<object, object>;

/** Fields before defaults and transforms, which the caller passes. */
export type FieldsIn<Schema> = FieldsOf<Schema, "input">;

/** Fields after defaults and transforms, which the holder has. */
export type FieldsOut<Schema> = FieldsOf<Schema, "output">;

type Side = "input" | "output";

type FieldsOf<Schema, On extends Side> = Schema extends StandardSchema
  ? SchemaTypes<Schema>[On]
  : Flat<
      {
        [Field in keyof Schema as RequiredOnly<Field, Schema[Field], On>]: SchemaTypes<Schema[Field]>[On];
      } & {
        [Field in keyof Schema as OptionalOnly<Field, Schema[Field], On>]?: SchemaTypes<Schema[Field]>[On];
      }
    >;

type SchemaTypes<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>
  : { input: unknown; output: unknown };

type RequiredOnly<Field, Schema, On extends Side> = undefined extends SchemaTypes<Schema>[On] ? never : Field;
type OptionalOnly<Field, Schema, On extends Side> = undefined extends SchemaTypes<Schema>[On] ? Field : never;

/** Flattens an intersection to one object type. */
type Flat<Fields> = { [Field in keyof Fields]: Fields[Field] } & {};

// ---- the Standard Schema interface, copied as its authors recommend, so that nothing is imported at runtime
// https://standardschema.dev

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema that takes every value as it is. */
export function anyValue<Value>(): StandardSchema<Value> {
  return { "~standard": { version: 1, vendor: "millrace", validate: (value) => ({ value: value as Value }) } };
}

// ---- what schemas answer

export function isSchema(value: unknown): value is StandardSchema {
  return typeof (value as StandardSchema | null | undefined)?.["~standard"]?.validate === "function";
}

/** @throws {WorkflowError} `SCHEMA_ASYNC` */
export function refusePromise(answer: Promise<SchemaResult<unknown>>, subject: string, details = {}): never {
  answer.then(null, () => {}); // not awaited; its failure says no more than this error
  throw new WorkflowError({
    code: "SCHEMA_ASYNC",
    message: `${subject} answered with a promise.`,
    hint: "Use checks that are synchronous and do not throw; await other things in a step.",
    details,
  });
}

/**
 * Issues as plain records, with their paths below `above`.
 *
 * Reads each property, because an issue may be frozen, or an instance with getters that a spread drops, as in ArkType.
 */
export function issuesAt(issues: readonly SchemaIssue[], above: readonly PropertyKey[] = []): SchemaIssue[] {
  return Array.from(issues, ({ message, path }) => ({ message, path: [...above, ...(path ?? [])] }));
}

/** The issues with their paths as text, and all of them in one line. */
export function describeIssues(issues: readonly SchemaIssue[]): {
  readonly lines: readonly { readonly path: string; readonly message: string }[];
  readonly text: string;
} {
  const lines = issues.map(({ path = [], message }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message,
  }));
  return { lines, text: lines.map(({ path, message }) => (path && `${path}: `) + message).join("; ") };
}
