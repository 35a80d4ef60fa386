/**
 * Ticks as plain JSON, for journals.
 *
 * Values of the user are encoded; the rest is JSON already. Derived data is left out: the state after a patch. Decoding checks
 * every field, as for a snapshot.
 *
 * @module
 */

import { compiledChild } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import type { Definition } from "../engine/definition.js";
import type { EventData } from "../engine/state.js";
import type { EffectRecorded, Send, Tick } from "../engine/tick.js";
import { decodeEvent, decodeMeasured, decodeValue } from "../event/decode.js";
import type { WorkflowEvent } from "../event/event.js";
import { encodeEvent } from "../event/event-codec.js";
import type { StateChange, StatePatch } from "../state/patch.types.js";
import { isWritten, type PreparedChange } from "../state/prepare-change.js";
import { encodeMeasured, encodeValue } from "../value/codec.js";
import { guardJson } from "../value/guard.js";
import { isLabel } from "../value/label.js";
import { unmeasured } from "../value/limits.js";
import { textOf, withText } from "../value/pieces.js";
import type { Piece } from "../value/pieces.types.js";
import type { ValueType } from "../value/storable.js";
import { invalidSnapshot, Reader } from "./reader.js";

/** Plain JSON. Formats only grow: what a released version wrote stays readable. */
export interface EncodedTick {
  readonly type: Tick["type"];
  readonly atMs: number;
  readonly [field: string]: unknown;
}

/**
 * @param types For a reader that does not have the workflow: its events are written with these types, and with no others.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path of what cannot be stored.
 */
export function encodeTick(
  tick: Tick,
  compiled: CompiledWorkflow,
  types: readonly ValueType[] | null = null,
): EncodedTick {
  const encoded: Record<string, unknown> = { type: tick.type, atMs: tick.atMs };
  const fields = tick as unknown as Readonly<Record<string, unknown>>;
  for (const [name, form] of formsOf(tick.type)) {
    if (fields[name] !== undefined || form === value || form === written)
      encoded[name] = form.encode(fields[name], { compiled, types, path: `${tick.type}: ${name}`, fields });
  }
  return encoded as unknown as EncodedTick;
}

/**
 * Values are checked where they are decoded, by the limits that held when they were encoded; data of the engine has no limits.
 *
 * @throws {WorkflowError} `SNAPSHOT_INVALID` naming the problem, `SNAPSHOT_HOSTILE`, `EVENT_UNKNOWN`, `EVENT_INVALID`,
 * `CHILD_UNKNOWN`.
 */
export function decodeTick(json: unknown, compiled: CompiledWorkflow): Tick {
  const reader = new Reader(json, "tick");
  const type = reader.oneOf("type", Object.keys(shapes) as Tick["type"][]);
  const tick: Record<string, unknown> = { type, atMs: reader.time("atMs") };
  const fields = json as Readonly<Record<string, unknown>>;
  for (const [name, form] of formsOf(type)) {
    const given = reader.raw(name);
    if (given === undefined && form.isOptional) continue;
    tick[name] = form.decode(given, { compiled, types: null, path: reader.at(name), fields });
  }
  return tick as unknown as Tick;
}

const forms = new Map<Tick["type"], [string, Form][]>();

function formsOf(type: Tick["type"]): [string, Form][] {
  const known = forms.get(type) ?? Object.entries(shapes[type]);
  forms.set(type, known);
  return known;
}

// ---- forms of fields

interface Place {
  readonly compiled: CompiledWorkflow;
  /** Of events. Null: those of their workflow. */
  readonly types: readonly ValueType[] | null;
  readonly path: string;
  /** The tick: live fields while it is encoded, otherwise JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Form {
  readonly isOptional?: boolean;
  encode(live: unknown, place: Place): unknown;
  decode(json: unknown, place: Place): unknown;
}

/** JSON of one kind. */
function plain(what: string, fits: (json: unknown) => boolean): Form {
  return {
    encode: (live) => live,
    decode(json, { path }) {
      if (!fits(json)) throw invalidSnapshot(path, `${JSON.stringify(json)?.slice(0, 60) ?? "missing"}, not ${what}`);
      return json;
    },
  };
}

function guarded({ encode, decode }: Form): Form {
  return {
    encode,
    decode(json, place) {
      guardJson(json, { code: "SNAPSHOT_HOSTILE", path: place.path, limits: unmeasured });
      return decode(json, place);
    },
  };
}

function orNull({ encode, decode }: Form): Form {
  return {
    encode: (live, place) => (live === null ? null : encode(live, place)),
    decode: (json, place) => (json === null ? null : decode(json, place)),
  };
}

function listOf({ encode, decode }: Form): Form {
  return {
    encode: (live, place) => (live as readonly unknown[]).map((item) => encode(item, place)),
    decode(json, place) {
      if (!Array.isArray(json)) throw invalidSnapshot(place.path, "not a list");
      return json.map((item, index) => decode(item, { ...place, path: `${place.path}.${index}` }));
    },
  };
}

/** Shorter texts are stored again. */
const LONG = 100;

const isText = (json: unknown): boolean => typeof json === "string";
const isRecord = (json: unknown): boolean => typeof json === "object" && json !== null && !Array.isArray(json);

const text = plain("text", isText);
const textOrNull = orNull(text);
const number = plain("a number", (json) => typeof json === "number");
const numberOrNull = orNull(number);
const count = plain("a count", (json) => Number.isSafeInteger(json) && (json as number) >= 0);
const countOrNull = orNull(count);
const integer = plain("a whole number", Number.isSafeInteger);
const integerOrNull = orNull(integer);
const texts = plain("a list of texts", (json) => Array.isArray(json) && json.every(isText));
const lists = plain(
  "lists of texts",
  (json) => Array.isArray(json) && json.every((list) => Array.isArray(list) && list.every(isText)),
);
const flag = plain("true or false", (json) => typeof json === "boolean");
const record = plain("an object", isRecord);
const recordOrNull = orNull(guarded(record));
const error = guarded(
  plain(
    "an error",
    (json) =>
      isRecord(json) && isText((json as { name?: unknown }).name) && isText((json as { message?: unknown }).message),
  ),
);
const definition = plain(
  "a definition",
  (json) => Array.isArray((json as Partial<Definition> | null)?.steps) && isRecord((json as Partial<Definition>).roles),
);
const positive = plain("a number from 1", (json) => Number.isSafeInteger(json) && (json as number) > 0);
const label = plain("a label", isLabel);
const answeredBy = plain("who answered", (json) => {
  const { door, user } = (json ?? {}) as { readonly door?: unknown; readonly user?: unknown };
  return isText(door) && (user === undefined || isText(user));
});
const limit: Form = { ...numberOrNull, isOptional: true };
const elapsed: Form = { ...number, isOptional: true };

const value: Form = {
  encode: (live, { compiled, path }) => encodeValue(live, path, compiled.values),
  decode: (json, { compiled, path }) => decodeValue(json, path, compiled.values),
};

/** The resulting state was measured, and mostly it is known that each value in it is plain. */
const patches: Form = {
  encode: (live, { compiled, path, fields }) =>
    isKnownPlain(fields["change"], live as readonly StatePatch[])
      ? { json: live }
      : encodeMeasured(live, path, compiled.values),
  decode: (json, { compiled, path }) => decodeMeasured(json, path, compiled.values),
};

/** What is removed was not looked at: only of a Set is it in a patch. */
function isKnownPlain(change: unknown, list: readonly StatePatch[]): boolean {
  const { added } = change as Partial<PreparedChange>;
  return added?.isRich === false && list.every((patch) => patch.op !== "remove" || patch.value === undefined);
}

/** Usually equal to the written value, which the change has already. */
const written: Form = {
  encode: (live, place) =>
    isWritten(place.fields["change"] as StateChange, live) ? { same: true } : value.encode(live, place),
  decode(json, place) {
    if ((json as { same?: unknown } | undefined)?.same !== true) return value.decode(json, place);
    const given = change.decode(place.fields["change"], place) as StateChange;
    if ("patches" in given && given.patches.length === 1) return given.patches[0]?.value;
    throw invalidSnapshot(place.path, "that of a change of one value, and it has several");
  },
};

/** Mostly a text of the result, which is not stored twice: `same` names its field, or is empty for the result itself. */
const writtenPieces: Form = {
  isOptional: true,
  encode(live, place) {
    const { attempt, pieces } = live as NonNullable<EffectRecorded["written"]>;
    const same = textsIn(place.fields["value"]);
    const places = pieces.map((piece) => same.get(textOf(piece) ?? "") ?? null);
    const cut = pieces.map((piece, index) => (places[index] === null ? piece : withText(piece, "")));
    return { attempt, pieces: value.encode(cut, place), ...(places.some((at) => at !== null) && { same: places }) };
  },
  decode(json, place) {
    const { attempt, pieces, same } = record.decode(json, place) as Readonly<Record<string, unknown>>;
    const cut = value.decode(pieces, place) as readonly Piece[];
    if (!Array.isArray(cut) || (same !== undefined && !Array.isArray(same)))
      throw invalidSnapshot(place.path, "no list");
    if (same === undefined) return { attempt: count.decode(attempt, place), pieces: cut };
    const result = value.decode(place.fields["value"], place);
    const whole = (piece: Piece, index: number): Piece => {
      const field = (same as readonly unknown[])[index];
      if (typeof field !== "string") return piece;
      const text = field === "" ? result : (result as Readonly<Record<string, unknown>>)[field];
      if (typeof text !== "string") throw invalidSnapshot(place.path, "that of a text which the result does not have");
      return withText(piece, text);
    };
    return { attempt: count.decode(attempt, place), pieces: cut.map(whole) };
  },
};

/** Long texts of a result, and the names of their fields. */
function textsIn(result: unknown): ReadonlyMap<string, string> {
  const texts: (readonly [unknown, string])[] = typeof result === "string" ? [[result, ""]] : [];
  if (isRecord(result))
    for (const [field, part] of Object.entries(result as object)) if (field !== "") texts.push([part, field]);
  return new Map(
    texts.filter((entry): entry is [string, string] => typeof entry[0] === "string" && entry[0].length > LONG),
  );
}

/** An event of the workflow that `owner` names. */
function eventOf(owner: (place: Place) => CompiledWorkflow): Form {
  return {
    encode: (live, place) =>
      encodeEvent(
        live as WorkflowEvent,
        `${place.path}: ${(live as EventData).type}`,
        place.types ?? owner(place).values,
      ),
    decode: (json, place) => decodeEvent(json, owner(place).registry, place.path),
  };
}

const event = eventOf(({ compiled }) => compiled);
const eventOrNull = orNull(event);
const ofChild = eventOf(({ compiled, fields }) => childOf(compiled, String(fields["name"])));
const shown = eventOf(({ compiled, fields: { origin } }) =>
  typeof origin === "string" ? origin.split("/").reduce(childOf, compiled) : compiled,
);

function childOf(compiled: CompiledWorkflow, name: string): CompiledWorkflow {
  return compiledChild(compiled, name, "The tick");
}

const events = listOf(event);
/** One event, a batch, or nothing. */
const output: Form = {
  encode: (live, place) => (Array.isArray(live) ? events : eventOrNull).encode(live, place),
  decode: (json, place) => (Array.isArray(json) ? events : eventOrNull).decode(json, place),
};

const sends = listOf({
  encode: (live, place) => ({ ...(live as Send), event: event.encode((live as Send).event, place) }),
  decode(json, place) {
    const reader = new Reader(json, place.path);
    return {
      call: reader.text("call"),
      event: event.decode(reader.raw("event"), { ...place, path: reader.at("event") }) as EventData,
      step: reader.nullable("step", (name) => reader.text(name)),
      dueAtMs: reader.nullable("dueAtMs", (name) => reader.number(name)),
      toRun: reader.flag("toRun"),
      ...(reader.raw("isElement") === true && { isElement: true }),
    } satisfies Send;
  },
});

/** The patches are one value, because their paths lead through Maps whose keys need not be JSON. */
const change: Form = {
  encode(live, place) {
    const given = live as StateChange;
    if ("whole" in given) return { whole: true, next: value.encode(given.next, place) };
    return { patches: patches.encode(given.patches, place) };
  },
  decode(json, place) {
    const reader = new Reader(json, place.path);
    if (reader.raw("whole") === true)
      return { whole: true, next: value.decode(reader.raw("next"), { ...place, path: reader.at("next") }) };
    const list = patches.decode(reader.raw("patches"), { ...place, path: reader.at("patches") });
    if (!Array.isArray(list) || !list.every(isPatch))
      throw invalidSnapshot(reader.at("patches"), "not a list of patches");
    return { patches: list };
  },
};

function isPatch(patch: StatePatch | null): boolean {
  return (
    isRecord(patch) &&
    ["add", "remove", "replace"].includes((patch as StatePatch).op) &&
    Array.isArray((patch as StatePatch).path) &&
    (patch as StatePatch).path.length > 0
  );
}

// ---- ticks

type Shapes = {
  readonly [Type in Tick["type"]]: {
    readonly [Field in Exclude<keyof Extract<Tick, { readonly type: Type }>, "type" | "atMs">]-?: Form;
  };
};

const ofAttempt = { item: count, attempt: count };
const ofCall = { ...ofAttempt, call: text };
const ofEffect = {
  ...ofCall,
  callAttempt: { ...positive, isOptional: true },
  label: { ...label, isOptional: true },
};
const ofEdit = { change: { ...change, isOptional: true }, shown: { ...events, isOptional: true } };
const done = { sends: { ...sends, isOptional: true }, hasShown: { ...flag, isOptional: true } };
const ofSlotless = { ...ofCall, race: { ...text, isOptional: true } };
const limits = { timeoutMs: limit, deadlineMs: limit };

/** Every field of every tick: a new field does not compile without a form. */
const shapes: Shapes = {
  "run.started": {
    event,
    timeoutMs: numberOrNull,
    deadlineMs: numberOrNull,
    lineage: recordOrNull,
    labels: recordOrNull,
    store: { ...value, isOptional: true },
    trace: { ...guarded(record), isOptional: true },
  },
  "run.resumed": limits,
  "run.retried": limits,
  "run.cancelled": { reason: value, ticket: { ...integer, isOptional: true } },
  "run.idled": {},
  "definition.changed": { definition },
  "event.received": {
    event,
    step: textOrNull,
    promptId: textOrNull,
    ticket: integerOrNull,
    by: { ...answeredBy, isOptional: true },
  },
  "time.passed": {},
  "step.completed": {
    ...ofAttempt,
    output,
    sends: orNull(sends),
    ...ofEdit,
    elapsedMs: elapsed,
  },
  "step.failed": {
    ...ofAttempt,
    error,
    retryAtMs: numberOrNull,
    isGenerator: { ...flag, isOptional: true },
    elapsedMs: elapsed,
  },
  "step.yielded": { ...ofCall, digest: text, event },
  "sends.committed": { ...ofAttempt, sends },
  "wait.opened": {
    ...ofSlotless,
    accepts: texts,
    where: orNull(value),
    prompt: eventOrNull,
    promptId: { ...text, isOptional: true },
    dueAtMs: numberOrNull,
  },
  "sleep.opened": { ...ofSlotless, dueAtMs: number },
  "child.opened": {
    ...ofSlotless,
    name: text,
    start: ofChild,
    sharesStore: { ...flag, isOptional: true },
    timeoutMs: { ...number, isOptional: true },
  },
  "child.closed": { item: count, call: text, name: text, result: orNull(ofChild), error: orNull(error) },
  "call.awaited": ofCall,
  "call.closed": { ...ofCall, reason: error },
  "effect.opened": ofEffect,
  "effect.failed": { ...ofEffect, error, retryAtMs: numberOrNull, elapsedMs: number, written: writtenPieces },
  "effect.recorded": { ...ofEffect, value, elapsedMs: elapsed, ...ofEdit, ...done, written: writtenPieces },
  "event.collected": { ...ofCall, buffer: text, expected: texts, accepts: { ...lists, isOptional: true }, event },
  "state.edited": { item: countOrNull, attempt: count, call: textOrNull, change, value: written, ...done },
  "stream.written": {
    item: countOrNull,
    attempt: count,
    event: shown,
    origin: textOrNull,
    promptId: textOrNull,
    writer: { ...text, isOptional: true },
    call: { ...text, isOptional: true },
  },
};
