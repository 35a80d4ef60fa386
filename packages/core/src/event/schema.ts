/**
 * Schemas of the fields of an event or a state: a record of Standard Schemas, or one Standard Schema of an object.
 *
 * `FieldsIn` and `FieldsOut` are evaluated where they are used, so that hovers and `.d.ts` files show `{ text: string
 * }` instead of types of a schema library.
 *
 * @module
 */
import type { StandardSchema } from "./standard-schema.js";

/** One schema per field. */
export interface FieldSchemas {
  readonly [field: string]: StandardSchema;
}

export type ObjectSchema = FieldSchemas | StandardSchema<object, object>;

/** Fields before defaults and transforms, which the caller passes. */
export type FieldsIn<Schema> = Schema extends StandardSchema
  ? SchemaTypes<Schema>["input"]
  : Flat<
      {
        [Field in keyof Schema as RequiredOnly<Field, Schema[Field], "input">]: SchemaTypes<Schema[Field]>["input"];
      } & {
        [Field in keyof Schema as OptionalOnly<Field, Schema[Field], "input">]?: SchemaTypes<Schema[Field]>["input"];
      }
    >;

/** Fields after defaults and transforms, which the holder has. */
export type FieldsOut<Schema> = Schema extends StandardSchema
  ? SchemaTypes<Schema>["output"]
  : Flat<
      {
        [Field in keyof Schema as RequiredOnly<Field, Schema[Field], "output">]: SchemaTypes<Schema[Field]>["output"];
      } & {
        [Field in keyof Schema as OptionalOnly<Field, Schema[Field], "output">]?: SchemaTypes<Schema[Field]>["output"];
      }
    >;

type SchemaTypes<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>
  : { input: unknown; output: unknown };

type RequiredOnly<Field, Schema, Side extends "input" | "output"> = undefined extends SchemaTypes<Schema>[Side]
  ? never
  : Field;
type OptionalOnly<Field, Schema, Side extends "input" | "output"> = undefined extends SchemaTypes<Schema>[Side]
  ? Field
  : never;

/** Flattens an intersection to one object type. */
type Flat<Fields> = { [Field in keyof Fields]: Fields[Field] } & {};
