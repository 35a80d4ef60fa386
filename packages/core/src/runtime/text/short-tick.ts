/**
 * Ticks as a journal stores them: without what most of them say alike, and with each value once.
 *
 *     {"type":"step.completed","atMs":5,"item":2,"output":null,"change":[[["count"],2],[["list",0],{…},"add"]],
 *      "shown":[{"type":"Said","data":{"at":5},"same":{"text":1}}]}
 *
 * The first attempt and no sends are left out. A patch is `[path]` (remove), `[path, value]` (replace) or `[path, value, op]`. A
 * field of an event that the edit shows and that is also the value of a patch is the number of that patch.
 *
 * @module
 */
import { type EncodedEvent, type EncodedTick, PiecesEvent } from "../../host.js";
import type { WrittenPieces } from "../../value/pieces.types.js";

type Json = Readonly<Record<string, unknown>>;

interface Patch {
  readonly op: unknown;
  readonly path: unknown;
  readonly value?: unknown;
}

type ShortPatch = readonly [path: unknown, value?: unknown, op?: unknown];

interface ShortEvent extends Omit<EncodedEvent, "data"> {
  /** Left out where `same` has all of it. */
  readonly data?: unknown;
  /** Numbers of patches, by field. */
  readonly same?: Readonly<Record<string, number>>;
}

/** Ticks that may have a change. */
const changing: ReadonlySet<unknown> = new Set(["step.completed", "state.edited", "effect.recorded"]);

/** Shares its parts with the tick, to be written at once. */
export function shortTick(tick: EncodedTick): object {
  if (tick.type === "stream.written") return shortPieces(tick);
  if (!changing.has(tick.type) || (tick.type === "effect.recorded" && tick["change"] === undefined)) return tick;
  const patches = plainPatches(tick["change"]);
  const short: Record<string, unknown> = { ...tick };
  if (patches !== null) short["change"] = patches.map(shortPatch);
  if (tick.type === "step.completed") shortenEnd(short, tick);
  if (patches !== null && tick["shown"] !== undefined)
    short["shown"] = (tick["shown"] as EncodedEvent[]).map((event) => shortEvent(event, patches));
  return short;
}

function shortenEnd(short: Record<string, unknown>, tick: EncodedTick): void {
  if (tick["attempt"] === 1) short["attempt"] = undefined; // no text has it
  if (tick["sends"] === null) short["sends"] = undefined;
}

/** Undoes `shortTick`. Its decoder checks the fields. */
export function wholeTick(json: Json): EncodedTick {
  const { type, change, shown } = json;
  if (type === "stream.written") return wholePieces(json);
  if (!changing.has(type)) return json as EncodedTick;
  const whole = type === "step.completed" ? { attempt: 1, sends: null, ...json } : json;
  if (!Array.isArray(change)) return whole as EncodedTick;
  const patches = change.map(wholePatch);
  const events = Array.isArray(shown) && { shown: shown.map((event) => wholeEvent(event, patches)) };
  return { ...whole, change: { patches: { json: patches } }, ...events } as unknown as EncodedTick;
}

/**
 * Of the pieces of a call at work, only that there were some: its function writes them again in its next attempt, and its record has
 * all. Their texts are in the stream.
 */
function shortPieces(tick: EncodedTick): object {
  const { type, data } = tick["event"] as EncodedEvent;
  if (type !== PiecesEvent.type || (data as WrittenPieces).isAll === true) return tick;
  const { call, attempt, at } = data as WrittenPieces;
  const { origin, promptId, ...rest } = tick;
  const event = { type, data: { ...(call !== tick["call"] && { call }), attempt, at } };
  return { ...rest, ...(origin !== null && { origin }), event };
}

function wholePieces(json: Json): EncodedTick {
  const { type, data } = (json["event"] ?? {}) as EncodedEvent;
  if (type !== PiecesEvent.type || typeof data !== "object" || data === null || "pieces" in data)
    return json as EncodedTick;
  const event = { type, data: { call: json["call"], ...data, pieces: [] } };
  return { origin: null, promptId: null, ...json, event } as unknown as EncodedTick;
}

/** Null: the change has none, or they hold what JSON does not have. */
function plainPatches(change: unknown): readonly Patch[] | null {
  const patches = (change as { readonly patches?: { readonly json: readonly Patch[]; readonly meta?: unknown } })
    ?.patches;
  return patches === undefined || patches.meta !== undefined ? null : patches.json;
}

function shortPatch(patch: Patch): ShortPatch {
  const { op, path, value } = patch;
  if (!("value" in patch)) return [path];
  return op === "replace" ? [path, value] : [path, value, op];
}

function wholePatch(short: unknown): unknown {
  if (!Array.isArray(short)) return null;
  const [path, value, op = "replace"] = short as unknown as ShortPatch;
  return short.length === 1 ? { op: "remove", path } : { op, path, value };
}

function shortEvent(event: EncodedEvent, patches: readonly Patch[]): ShortEvent {
  if (event.meta !== undefined) return event;
  const fields = event.data as Readonly<Record<string, unknown>>;
  let [same, data]: (Record<string, unknown> | null)[] = [null, null];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const index =
      typeof value === "object" && value !== null ? patches.findIndex((patch) => patch.value === value) : -1;
    if (index < 0) (data ??= {})[name] = value;
    else (same ??= {})[name] = index;
  }
  if (same === null) return event;
  const { type, version } = event;
  return { type, ...(version !== undefined && { version }), ...(data !== null && { data }), same: same as never };
}

function wholeEvent(short: unknown, patches: readonly unknown[]): unknown {
  const { same, ...event } = (short ?? {}) as ShortEvent;
  if (typeof same !== "object" || same === null) return short;
  const fields = Object.entries(same).map(([name, index]) => [name, (patches[index] as Patch | undefined)?.value]);
  return { ...event, data: { ...(event.data as object), ...Object.fromEntries(fields) } };
}
