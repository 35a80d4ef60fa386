/**
 * Values as requests and answers have them: in the form of `millrace/wire`, with errors and events as plain data.
 *
 * @module
 */
import {
  decodeTree,
  type EncodedValue,
  encodeTree,
  type Form,
  type FormOf,
  formsWith,
  pathOf,
  readersWith,
  type Tree,
  type Walk,
} from "millrace/wire";
import { ClientError } from "../client-error.js";

/** @throws {ClientError} `OPTION_INVALID` with the path of a value that no server could read. */
export function encodeValue(value: unknown): EncodedValue {
  const { json, meta } = encodeTree(value, { formOf, refuse });
  return meta === undefined ? { json } : { json, meta };
}

/** A form that is unknown here, such as that of a class which the workflow registers, is not converted. */
export function decodeValue({ json, meta }: EncodedValue): unknown {
  if (meta == null) return json;
  return decodeTree(json, meta as Tree, (tag, part) => {
    const read = knownReaders.get(String(tag));
    return read === undefined ? part : read(part as never);
  });
}

/** Returns whether `JSON.stringify` keeps the value as it is. */
export function isPlain(value: unknown): boolean {
  try {
    return encodeValue(value).meta === undefined;
  } catch {
    return false; // the caller reports the reason when it sends the value
  }
}

function refuse(what: string, walk: Walk): never {
  const path = pathOf(walk).join(".");
  throw new ClientError({
    code: "OPTION_INVALID",
    message: `The value cannot be sent: ${path || "it"} is ${what}.`,
    hint: "Send plain data, Date, Map, Set, URL, bigint, bytes, errors or events.",
    details: { path },
  });
}

const sharedForms = /* @__PURE__ */ formsWith({
  tag: ["custom", "@error"],
  encode: ({ name, message }: Error) => ({ name, message }),
});

const eventForm: Form = {
  tag: ["custom", "@event"],
  encode: (event: { type: string; toJSON(): unknown }) => ({ type: event.type, data: event.toJSON() }),
};

/** An undefined field counts as left out. */
const formOf: FormOf = (value, container, { above }) => {
  if (value === undefined && !Array.isArray(container ?? [])) return undefined;
  if (above.includes(value)) return "a value that contains itself";
  return isEvent(value) ? eventForm : sharedForms(value);
};

const knownReaders: ReadonlyMap<string, (json: never) => unknown> = /* @__PURE__ */ new Map<
  string,
  (json: never) => unknown
>([
  ...readersWith({ number: Number, Date: (text) => new Date(text), URL: (text) => new URL(text) }),
  ["custom,@error", ({ message, ...rest }: Error) => Object.assign(new Error(message), rest)],
  ["custom,@event", ({ type, data }: { type: string; data: object }) => ({ type, ...data })],
]);

/** Recognizes an instance of an event class, which inherits its type. */
function isEvent(value: unknown): boolean {
  const { type, toJSON } = Object(value) as { readonly type?: unknown; readonly toJSON?: unknown };
  return typeof toJSON === "function" && type !== undefined && !Object.hasOwn(value as object, "type");
}
