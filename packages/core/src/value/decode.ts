/**
 * Decodes values from their JSON.
 *
 * Its input comes from outside: it decodes known forms and registered types only, and cannot be made to load or call code.
 *
 * @module
 */
import type { SuperJSON } from "superjson";
// Past its entry, which exports all of superjson as one class. Bundled with ours: separate modules take longer to import. Its licence: THIRD-PARTY.md.
import { untransformValue } from "../../node_modules/superjson/dist/transformer.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { type ErrorRecord, errorFrom } from "./error-record.js";
import { type LeafReaders, readersWith } from "./forms.js";
import { guardJson } from "./guard.js";
import { knownPlain, rememberPlain, type ValueLimits } from "./limits.js";
import { isChoosy, takesNothingRead, type ValueType } from "./storable.js";
import { decodeTree, type EncodedValue, type ReadForm, type Tree } from "./tree.js";

/** superjson asks these for what a program has registered with it: nothing, `ValueType` is our own way. */
const nothing = { getIdentifier: () => undefined, findApplicable: () => undefined };
const registered = {
  classRegistry: nothing,
  symbolRegistry: nothing,
  customTransformerRegistry: nothing,
} as unknown as SuperJSON;

/** Single values as superjson reads them. */
export const superjsonLeaves: LeafReaders = {
  number: (text) => untransformValue(text, "number", registered),
  Date: (text) => untransformValue(text, "Date", registered) as Date,
  URL: (text) => untransformValue(text, "URL", registered),
};

const readers = /* @__PURE__ */ readersWith(superjsonLeaves);

interface Within {
  readonly path: string;
  readonly types: readonly ValueType[];
  readonly readEvent: NestedReader;
  readonly limits: ValueLimits;
  /** To be frozen. @default false */
  readonly isFrozen?: boolean;
}

/** Reads an event inside a value: from the parts of it, which were read already. */
export type NestedReader = (encoded: unknown, types: readonly ValueType[]) => unknown;

export function decodeWithin(encoded: unknown, within: Within): unknown {
  const { path, types, limits, isFrozen = false } = within;
  if (typeof encoded !== "object" || encoded === null || !("json" in encoded)) throw undecodable(path);
  const { json, meta } = encoded as EncodedValue;
  const freeze = isFrozen && meta === undefined;
  const size = knownPlain(json) ?? guardJson(json, { code: "SNAPSHOT_HOSTILE", path, limits, freeze });
  if (freeze) rememberPlain(json, size, types.every(takesNothingRead) ? types : null);
  if (meta === undefined) return json;
  try {
    return decodeTree(json, meta as Tree, readFormOf(within));
  } catch (cause) {
    throw WorkflowError.is(cause) ? cause : undecodable(path, cause);
  }
}

function readFormOf({ types, readEvent }: Within): ReadForm {
  return (tag, json) => {
    const name = String(tag);
    if (name === "custom,@error") return errorFrom(json as ErrorRecord);
    const read = readers.get(name);
    if (read !== undefined) return read(json);
    const type = types.find((one) => Array.isArray(tag) && tag[0] === "custom" && tag[1] === one.name);
    if (type === undefined) throw new TypeError(`Unknown form ${JSON.stringify(tag)}`);
    return isChoosy(type) ? readEvent(json, types) : type.decode(json as never);
  };
}

function undecodable(path: string, cause?: unknown): WorkflowError {
  return new WorkflowError({
    code: "SNAPSHOT_INVALID",
    message: `${path} is not an encoded value.`,
    hint: "Pass only data that Millrace wrote, unchanged.",
    details: { path },
    cause,
  });
}
