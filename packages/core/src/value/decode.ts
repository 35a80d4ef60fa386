/**
 * Decodes values from their JSON.
 *
 * Its input comes from outside: it decodes known forms and registered types only, and cannot be made to load or call code.
 *
 * @module
 */
import type { SuperJSON } from "superjson";
// Past its entry, which exports all of superjson as one class. Bundled with ours: as modules of its own the import takes longer. Its licence: THIRD-PARTY.md.
import { untransformValue } from "../../node_modules/superjson/dist/transformer.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EncodedValue, Parts, Tree } from "./codec.js";
import { type ErrorRecord, errorFrom } from "./error-record.js";
import { type FormTag, MAX_BIGINT_DIGITS, views } from "./forms.js";
import { guardJson, isRecord } from "./guard.js";
import type { ValueLimits } from "./limits.js";
import { knownPlain, rememberPlain } from "./plain-json-cache.js";
import { isChoosy, takesNothingRead, type ValueType } from "./storable.js";

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
  const { path, types, readEvent, limits, isFrozen = false } = within;
  if (typeof encoded !== "object" || encoded === null || !("json" in encoded)) throw undecodable(path);
  const { json, meta } = encoded as EncodedValue;
  const freeze = isFrozen && meta === undefined;
  const size = knownPlain(json) ?? guardJson(json, { code: "SNAPSHOT_HOSTILE", path, limits, freeze });
  if (freeze) rememberPlain(json, size, types.every(takesNothingRead) ? types : null);
  if (meta === undefined) return json;
  try {
    return decode(json, meta as Tree, { types, readEvent, copies: new Set() });
  } catch (cause) {
    throw WorkflowError.is(cause) ? cause : undecodable(path, cause);
  }
}

interface Decoding extends Pick<Within, "types" | "readEvent"> {
  /** Containers made here, which may be written into. */
  readonly copies: Set<unknown>;
}

function decode(json: unknown, tree: Tree, decoding: Decoding): unknown {
  if (!Array.isArray(tree)) return decodeParts(json, tree as Parts, decoding);
  const [tag, parts] = tree as readonly [FormTag, Parts?];
  const own = parts === undefined ? json : decodeParts(json, parts, decoding);
  const read = readers.get(String(tag));
  if (read !== undefined) return read(own);
  const { types, readEvent } = decoding;
  const type = types.find(({ name }) => Array.isArray(tag) && tag[0] === "custom" && tag[1] === name);
  if (type === undefined) throw new TypeError(`Unknown form ${JSON.stringify(tag)}`);
  return isChoosy(type) ? readEvent(own, types) : type.decode(own as never);
}

function decodeParts(json: unknown, parts: Parts, decoding: Decoding): unknown {
  const root = ownCopy(json, decoding);
  for (const [path, tree] of Object.entries(parts)) {
    const names = namesIn(path);
    const last = names.pop() as string;
    let container = root;
    for (const name of names) {
      const inner = ownCopy(partOf(container, name), decoding);
      container[name] = inner;
      container = inner;
    }
    container[last] = decode(partOf(container, last), tree, decoding);
  }
  return root;
}

function ownCopy(container: unknown, { copies }: Decoding): Record<string, unknown> {
  if (copies.has(container)) return container as Record<string, unknown>;
  if (!Array.isArray(container) && !isRecord(container))
    throw new TypeError("A path leads through a value without parts");
  const copy = (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
  copies.add(copy);
  return copy;
}

/** Only what the JSON itself holds: a path leads to no prototype, and not to the length of a list. */
function partOf(container: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(container, name) && (!Array.isArray(container) || name !== "length")) return container[name];
  throw new TypeError(`There is no "${name}"`);
}

function namesIn(path: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let at = 0; at < path.length; at++) {
    if (path[at] === ".") {
      names.push(name);
      name = "";
    } else name += path[path[at] === "\\" ? ++at : at] ?? "";
  }
  return [...names, name];
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

// ---- forms

/** superjson asks these for what a program has registered with it: nothing, {@link ValueType} is our own way. */
const nothing = { getIdentifier: () => undefined, findApplicable: () => undefined };
const registered = {
  classRegistry: nothing,
  symbolRegistry: nothing,
  customTransformerRegistry: nothing,
} as unknown as SuperJSON;

/** From anything: throws at what no value was encoded as. */
type Read = (json: unknown) => unknown;

/** By the text of their tags. */
export const readers: ReadonlyMap<string, Read> = /* @__PURE__ */ new Map<string, Read>([
  ["undefined", () => undefined],
  ["number", (json) => untransformValue(textIn(json), "number", registered)],
  ["Date", decodeDate],
  ["URL", (json) => untransformValue(textIn(json), "URL", registered)],
  ["custom,@bytes", decodeBytes],
  ["custom,@bigint", decodeBigint],
  ["custom,@error", (json) => errorFrom(json as ErrorRecord)],
  ["map", (json) => new Map(listIn(json) as [unknown, unknown][])],
  ["set", (json) => new Set(listIn(json))],
]);

function decodeDate(json: unknown): Date {
  const read = untransformValue(textIn(json), "Date", registered) as Date;
  if (Number.isNaN(read.getTime())) throw new TypeError("An invalid date");
  return read;
}

function decodeBytes(json: unknown): ArrayBufferView {
  const [name, base64] = listIn(json) as [string, string];
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const View = views.find((view) => view.name === name) as (typeof views)[number];
  return new View(bytes.buffer);
}

function decodeBigint(json: unknown): bigint {
  const digits = textIn(json);
  if (digits.length > MAX_BIGINT_DIGITS + 1) throw new RangeError(`A bigint has more than ${MAX_BIGINT_DIGITS} digits`);
  return BigInt(digits);
}

function textIn(json: unknown): string {
  if (typeof json === "string") return json;
  throw new TypeError("No text");
}

function listIn(json: unknown): unknown[] {
  if (Array.isArray(json)) return json;
  throw new TypeError("No list");
}
