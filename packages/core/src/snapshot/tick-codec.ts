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
import type { WorkflowEvent } from "../event/event.js";
import { decodeEvent, decodeMeasured, decodeValue, encodeEvent } from "../event/event-codec.js";
import type { StateChange, StatePatch } from "../state/patches.js";
import { isWritten } from "../state/prepare-change.js";
import type { PreparedChange } from "../state/state-schema.js";
import { encodeMeasured, encodeValue } from "../value/codec.js";
import { guardJson } from "../value/guard.js";
import { hasFields } from "../value/kind.js";
import { unmeasured } from "../value/limits.js";
import { isLabel } from "../value/option-rules.js";
import { type Piece, textOf, withText } from "../value/pieces.js";
import {
  anyList,
  anyObject,
  anything,
  count,
  flag,
  integer,
  is,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  type ShapesOf,
  text,
  time,
} from "../value/shape.js";
import type { ValueType } from "../value/storable.js";
import { checkShape, invalidSnapshot } from "./format.js";

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
  for (const [name, form] of (tableOf(tick.type) as Table).forms) {
    if (typeof form === "function") {
      if (fields[name] !== undefined) encoded[name] = fields[name];
    } else if (fields[name] !== undefined || form === value || form === written)
      encoded[name] = form.encode(fields[name], { compiled, types, path: `${tick.type}: ${name}`, fields });
  }
  return encoded as unknown as EncodedTick;
}

/**
 * Values are checked where they are decoded, by the limits that held when they were encoded; data of the engine has no limits.
 *
 * @throws {WorkflowError} `SNAPSHOT_INVALID` naming the problem, `SNAPSHOT_HOSTILE`, `EVENT_UNKNOWN`, `EVENT_INVALID`,
 * `SNAPSHOT_MISMATCH`.
 */
export function decodeTick(json: unknown, compiled: CompiledWorkflow): Tick {
  const table = tableOf((json as Partial<Tick> | null)?.type);
  const fields = checkShape(table?.facts ?? anyTick, json, "tick");
  const tick: Record<string, unknown> = { type: fields["type"], atMs: fields["atMs"] };
  for (const [name, form] of table?.forms ?? []) {
    const given = fields[name];
    if (typeof form === "function") {
      if (given !== undefined) tick[name] = given;
    } else if (given !== undefined || form.isOptional !== true)
      tick[name] = form.decode(given, { compiled, types: null, path: `tick.${name}`, fields });
  }
  return tick as unknown as Tick;
}

interface Table {
  readonly forms: readonly (readonly [string, Form])[];
  /** The shape of all fields that are JSON already. */
  readonly facts: Shape<Readonly<Record<string, unknown>>>;
}

const tables = new Map<unknown, Table>();

/** `undefined` for what is no type of a tick. */
function tableOf(type: unknown): Table | undefined {
  if (tables.size === 0)
    for (const [known, shape] of Object.entries(shapes)) {
      const forms = Object.entries<Form>(shape);
      const facts = forms.filter((entry): entry is [string, Shape] => typeof entry[1] === "function");
      tables.set(known, { forms, facts: object({ ...Object.fromEntries(facts), type: anything, atMs: time }) });
    }
  return tables.get(type);
}

// ---- forms of fields

interface FieldContext {
  readonly compiled: CompiledWorkflow;
  /** Value types allowed in events; `null` for those of the event's own workflow. */
  readonly types: readonly ValueType[] | null;
  readonly path: string;
  /** The tick: live fields while it is encoded, otherwise JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A field with values of the user. */
interface Coding {
  readonly isOptional?: boolean;
  encode(live: unknown, context: FieldContext): unknown;
  decode(json: unknown, context: FieldContext): unknown;
}

/** A shape: the field is JSON already. */
type Form = Shape | Coding;

/** JSON that may be deep, or have keys that reach prototypes. */
function guarded(shape: Shape): Coding {
  return {
    encode: (live) => live,
    decode(json, { path }) {
      guardJson(json, { code: "SNAPSHOT_HOSTILE", path, limits: unmeasured });
      return checkShape(shape, json, path);
    },
  };
}

function orNull({ encode, decode }: Coding): Coding {
  return {
    encode: (live, context) => (live === null ? null : encode(live, context)),
    decode: (json, context) => (json === null ? null : decode(json, context)),
  };
}

function listOf({ encode, decode }: Coding): Coding {
  return {
    encode: (live, context) => (live as readonly unknown[]).map((item) => encode(item, context)),
    decode: (json, context) =>
      checkShape(anyList, json, context.path).map((item, index) =>
        decode(item, { ...context, path: `${context.path}.${index}` }),
      ),
  };
}

function absent(coding: Coding): Coding {
  return { ...coding, isOptional: true };
}

/** Shorter texts are stored again. */
const LONG = 100;

const textOrNull = nullable(text);
const numberOrNull = nullable(number);
const countOrNull = nullable(count);
const integerOrNull = nullable(integer);
const texts = list(text);
const recordOrNull = orNull(guarded(anyObject));
const error = guarded(object({ name: text, message: text }));
const definition = object({ steps: anyList, roles: anyObject } satisfies Partial<ShapesOf<Definition>>);
const callAttempt = optional(is("a number from 1", (json) => Number.isSafeInteger(json) && (json as number) > 0));
const label = optional(is("a label", isLabel));

const value: Coding = {
  encode: (live, { compiled, path }) => encodeValue(live, path, compiled.values),
  decode: (json, { compiled, path }) => decodeValue(json, path, compiled.values),
};

/** The resulting state was measured, and mostly it is known that each value in it is plain. */
const patches: Coding = {
  encode: (live, { compiled, path, fields }) =>
    isKnownPlain(fields["change"], live as readonly StatePatch[])
      ? { json: live }
      : encodeMeasured(live, path, compiled.values),
  decode: (json, { compiled, path }) => decodeMeasured(json, path, compiled.values),
};

/** A `remove` patch has a value only for a Set, and that value was not checked. */
function isKnownPlain(change: unknown, list: readonly StatePatch[]): boolean {
  const { added } = change as Partial<PreparedChange>;
  return added?.isRich === false && list.every((patch) => patch.op !== "remove" || patch.value === undefined);
}

/** Usually equal to the written value, which the change has already. */
const written: Coding = {
  encode: (live, context) =>
    isWritten(context.fields["change"] as StateChange, live) ? { same: true } : value.encode(live, context),
  decode(json, context) {
    if ((json as { same?: unknown } | undefined)?.same !== true) return value.decode(json, context);
    const given = change.decode(context.fields["change"], context) as StateChange;
    if ("patches" in given && given.patches.length === 1) return given.patches[0]?.value;
    throw invalidSnapshot(context.path, "that of a change of one value, and it has several");
  },
};

/** Mostly a text of the result, which is not stored twice: `same` names its field, or is empty for the result itself. */
const writtenPieces: Coding = {
  isOptional: true,
  encode(live, context) {
    const { attempt, pieces } = live as NonNullable<EffectRecorded["written"]>;
    const same = textsIn(context.fields["value"]);
    const places = pieces.map((piece) => same.get(textOf(piece) ?? "") ?? null);
    const cut = pieces.map((piece, index) => (places[index] === null ? piece : withText(piece, "")));
    return { attempt, pieces: value.encode(cut, context), ...(places.some((at) => at !== null) && { same: places }) };
  },
  decode(json, context) {
    const { attempt, pieces, same } = checkShape(piecesShape, json, context.path);
    const cut = checkShape(anyList, value.decode(pieces, context), context.path) as readonly Piece[];
    if (same === undefined) return { attempt, pieces: cut };
    const result = value.decode(context.fields["value"], context);
    const whole = (piece: Piece, index: number): Piece => {
      const field = same[index];
      if (typeof field !== "string") return piece;
      const text = field === "" ? result : (result as Readonly<Record<string, unknown>>)[field];
      if (typeof text !== "string")
        throw invalidSnapshot(context.path, "that of a text which the result does not have");
      return withText(piece, text);
    };
    return { attempt, pieces: cut.map(whole) };
  },
};
const piecesShape = object({ attempt: count, pieces: anything, same: optional(anyList) });

/** Long texts of a result, and the names of their fields. */
function textsIn(result: unknown): ReadonlyMap<string, string> {
  const texts: (readonly [unknown, string])[] = typeof result === "string" ? [[result, ""]] : [];
  if (hasFields(result))
    for (const [field, part] of Object.entries(result)) if (field !== "") texts.push([part, field]);
  return new Map(
    texts.filter((entry): entry is [string, string] => typeof entry[0] === "string" && entry[0].length > LONG),
  );
}

/** An event of the workflow that `owner` names. */
function eventOf(owner: (context: FieldContext) => CompiledWorkflow): Coding {
  return {
    encode: (live, context) =>
      encodeEvent(
        live as WorkflowEvent,
        `${context.path}: ${(live as EventData).type}`,
        context.types ?? owner(context).values,
      ),
    decode: (json, context) => decodeEvent(json, owner(context).registry, context.path),
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
const output: Coding = {
  encode: (live, context) => (Array.isArray(live) ? events : eventOrNull).encode(live, context),
  decode: (json, context) => (Array.isArray(json) ? events : eventOrNull).decode(json, context),
};

const sends = listOf({
  encode: (live, context) => ({ ...(live as Send), event: event.encode((live as Send).event, context) }),
  decode(json, context) {
    const given = checkShape(send, json, context.path);
    return {
      call: given.call,
      event: event.decode(given.event, { ...context, path: `${context.path}.event` }) as EventData,
      step: given.step ?? null,
      dueAtMs: given.dueAtMs ?? null,
      toRun: given.toRun,
      ...(given.isElement === true && { isElement: true }),
    } satisfies Send;
  },
});
const send = object({
  call: text,
  event: anything,
  step: optional(textOrNull),
  dueAtMs: optional(numberOrNull),
  toRun: flag,
  isElement: anything,
} satisfies ShapesOf<Send>);

/** The patches are one value, because their paths lead through Maps whose keys need not be JSON. */
const change: Coding = {
  encode(live, context) {
    const given = live as StateChange;
    if ("whole" in given) return { whole: true, next: value.encode(given.next, context) };
    return { patches: patches.encode(given.patches, context) };
  },
  decode(json, context) {
    const { whole, next, patches: list } = checkShape(changeShape, json, context.path);
    if (whole === true) return { whole, next: value.decode(next, { ...context, path: `${context.path}.next` }) };
    const at = `${context.path}.patches`;
    return { patches: checkShape(patchList, patches.decode(list, { ...context, path: at }), at) };
  },
};
const changeShape = object({ whole: anything, next: anything, patches: anything });
const patchList = list(
  object({
    op: oneOf("add", "remove", "replace"),
    path: is("a path", (path) => Array.isArray(path) && path.length > 0),
    value: anything,
  } satisfies ShapesOf<StatePatch>),
);

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
  callAttempt,
  label,
};
const ofEdit = { change: absent(change), shown: absent(events) };
const done = { sends: absent(sends), hasShown: optional(flag) };
const ofSlotless = { ...ofCall, race: optional(text) };
const by = optional(object({ door: text, user: optional(text) }));
const limits = { by, timeoutMs: optional(numberOrNull), deadlineMs: optional(numberOrNull) };

/** Every field of every tick: a new field does not compile without a form. */
const shapes: Shapes = {
  "run.started": {
    event,
    timeoutMs: numberOrNull,
    deadlineMs: numberOrNull,
    lineage: recordOrNull,
    labels: recordOrNull,
    store: absent(value),
    trace: absent(guarded(anyObject)),
    by,
  },
  "run.resumed": limits,
  "run.retried": limits,
  "run.cancelled": { reason: value, ticket: optional(integer), by },
  "run.idled": {},
  "definition.changed": { definition },
  "event.received": {
    event,
    step: textOrNull,
    promptId: textOrNull,
    ticket: integerOrNull,
    by,
  },
  "time.passed": {},
  "step.completed": {
    ...ofAttempt,
    output,
    sends: orNull(sends),
    ...ofEdit,
    elapsedMs: optional(number),
  },
  "step.failed": {
    ...ofAttempt,
    error,
    retryAtMs: numberOrNull,
    isGenerator: optional(flag),
    elapsedMs: optional(number),
  },
  "step.yielded": { ...ofCall, digest: text, event },
  "sends.committed": { ...ofAttempt, sends },
  "wait.opened": {
    ...ofSlotless,
    accepts: texts,
    where: orNull(value),
    prompt: eventOrNull,
    promptId: optional(text),
    dueAtMs: numberOrNull,
  },
  "sleep.opened": { ...ofSlotless, dueAtMs: number },
  "child.opened": {
    ...ofSlotless,
    name: text,
    start: ofChild,
    sharesStore: optional(flag),
    timeoutMs: optional(number),
  },
  "child.closed": { item: count, call: text, name: text, result: orNull(ofChild), error: orNull(error) },
  "call.awaited": ofCall,
  "call.closed": { ...ofCall, reason: error },
  "effect.opened": ofEffect,
  "effect.failed": { ...ofEffect, error, retryAtMs: numberOrNull, elapsedMs: number, written: writtenPieces },
  "effect.recorded": { ...ofEffect, value, elapsedMs: optional(number), ...ofEdit, ...done, written: writtenPieces },
  "event.collected": { ...ofCall, buffer: text, expected: texts, accepts: optional(list(texts)), event },
  "state.edited": { item: countOrNull, attempt: count, call: textOrNull, change, value: written, ...done },
  "stream.written": {
    item: countOrNull,
    attempt: count,
    event: shown,
    origin: textOrNull,
    promptId: textOrNull,
    writer: optional(text),
    call: optional(text),
  },
};

const anyTick = object({ type: oneOf(...Object.keys(shapes)), atMs: time });
