/**
 * Checks values against JSON schemas, with messages for the person at the form.
 *
 * The usual validator compiles schemas to code, which the content security policy forbids; this one walks them.
 *
 * @module
 */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { JsonSchema } from "../../api/json.types.js";

export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

export function problemsOf(schema: JsonSchema, value: unknown): Problem[] {
  const { errors } = new Validator(schema as Schema, "2020-12", false).validate(value);
  return errors.filter(({ keyword }) => !containers.has(keyword)).map(toProblem);
}

/** Keywords whose error only repeats one inside. */
const containers: ReadonlySet<string> = new Set([
  "properties",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "additionalProperties",
]);

function toProblem({ keyword, instanceLocation, error }: OutputUnit): Problem {
  const missing = keyword === "required" ? /property "(.*)"/.exec(error)?.[1] : undefined;
  const path = instanceLocation.replace(/^#\/?/, "").split("/").filter(Boolean).map(unescaped);
  return { path: missing === undefined ? path : [...path, missing], message: sentences[keyword]?.(error) ?? error };
}

const unescaped = (part: string): string => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");

/** The last number in a sentence of the validator, which is the limit. */
const limitIn = (error: string): string =>
  /(?<![\d.])(-?[\d.]+(?:e[+-]?\d+)?)\)?\.?$/i.exec(error)?.[1]?.replace(/\.$/, "") ?? "";

const sentences: Readonly<Record<string, (error: string) => string>> = {
  required: () => "Needed.",
  type: () => "Not of the right kind.",
  enum: () => "Not one of the choices.",
  minLength: (error) => `At least ${limitIn(error)} characters.`,
  maxLength: (error) => `At most ${limitIn(error)} characters.`,
  minimum: (error) => `At least ${limitIn(error)}.`,
  maximum: (error) => `At most ${limitIn(error)}.`,
  minItems: (error) => `At least ${limitIn(error)}.`,
  maxItems: (error) => `At most ${limitIn(error)}.`,
  format: (error) => `Not a valid ${/format "(.*?)"/.exec(error)?.[1] ?? "value"}.`,
  anyOf: () => "Fits none of the shapes that it may have.",
  oneOf: () => "Fits none of the shapes that it may have, or several.",
  pattern: () => "Not of the right form.",
};
