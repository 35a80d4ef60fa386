/**
 * Values that JSON cannot hold, in the forms that `millrace` writes: superjson's, and its own for bytes, bigint, errors and
 * events inside events.
 *
 * A chunk of its own: who never meets such a value never loads it.
 *
 * @module
 */
import { SuperJSON } from "superjson";
import { ClientError } from "../client-error.js";
import { isEvent, unsendable } from "./sendable.js";

/** Plain JSON, and what in it stands for something else. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** A tree: `{ path: tree }`, or `[form]`, or `[form, { path: tree }]`. */
type MetaTree = { readonly [path: string]: MetaTree } | readonly [form: unknown, children?: MetaTree];

/** @throws {ClientError} `OPTION_INVALID` for what no server could read. */
export function encodeRich(value: unknown): EncodedValue {
  refuseUnsendable(value);
  const { json, meta } = converter.serialize(value as never);
  return meta?.values ? { json, meta: meta.values } : { json };
}

function refuseUnsendable(value: unknown): void {
  const problem = unsendable(value, "it");
  if (problem === null) return;
  throw new ClientError({
    code: "OPTION_INVALID",
    message: `What is to be sent cannot be: ${problem.replace(/^it\./, "")}.`,
    hint: "Give plain data; Date, Map, Set, URL, bigint, bytes, errors and events travel, too.",
  });
}

/** A form that is not known here, such as a class that the workflow registers, stays as it came. */
export function decodeRich({ json, meta }: EncodedValue): unknown {
  const known = knownForms(meta as MetaTree);
  if (known === undefined) return json;
  return converter.deserialize({ json: json as never, meta: { values: known as never, v: 1 } });
}

function knownForms(tree: MetaTree): MetaTree | undefined {
  if (Array.isArray(tree)) {
    const [form, children] = tree as readonly [unknown, MetaTree?];
    if (!isKnown(form)) return undefined;
    return children === undefined ? tree : [form, knownForms(children) ?? {}];
  }
  const entries = Object.entries(tree as Readonly<Record<string, MetaTree>>).flatMap(([path, child]) => {
    const known = knownForms(child);
    return known === undefined ? [] : [[path, known] as const];
  });
  return Object.fromEntries(entries);
}

const simpleForms: ReadonlySet<unknown> = new Set(["undefined", "number", "Date", "URL", "map", "set"]);

function isKnown(form: unknown): boolean {
  return simpleForms.has(form) || (Array.isArray(form) && form[0] === "custom" && ourForms.has(form[1]));
}

interface Form {
  is(value: unknown): boolean;
  encode(value: never): unknown;
  decode(json: never): unknown;
}

const views = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

const ourForms: ReadonlyMap<unknown, Form> = new Map<unknown, Form>([
  [
    "@bytes",
    {
      is: (value) => ArrayBuffer.isView(value),
      encode: (view: Uint8Array) => {
        const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
        return [view[Symbol.toStringTag], btoa(text)];
      },
      decode: ([name, base64]: [string, string]) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const View = views.find((view) => view.name === name) ?? Uint8Array;
        return new View(bytes.buffer);
      },
    },
  ],
  ["@bigint", { is: (value) => typeof value === "bigint", encode: String, decode: (digits: string) => BigInt(digits) }],
  [
    "@error",
    {
      is: (value) => value instanceof Error,
      encode: ({ name, message }: Error) => ({ name, message }),
      decode: ({ message, ...rest }: { message: string }) => Object.assign(new Error(message), rest),
    },
  ],
  [
    "@event",
    {
      is: (value) => typeof value === "object" && value !== null && isEvent(value),
      encode: (event: { type: string; toJSON(): unknown }) => {
        const { json, meta } = encodeRich(event.toJSON());
        return { type: event.type, data: json, ...(meta !== undefined && { meta }) };
      },
      decode: ({ type, data, meta }: { type: string; data: object; meta?: unknown }) => {
        const fields = meta === undefined ? data : decodeRich({ json: data, meta });
        return { type, ...(fields as object) };
      },
    },
  ],
]);

const converter = new SuperJSON();
for (const [name, { is, encode, decode }] of ourForms) {
  converter.registerCustom(
    { isApplicable: is as never, serialize: encode as never, deserialize: decode as never },
    name as string,
  );
}
