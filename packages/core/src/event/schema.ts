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
