/**
 * Ticks of a run and its children as the text of a batch, and back.
 *
 * A batch is a list. An entry is a tick of the run (see `shortTick`), `{ run, path, tick }` for a tick of a child, or `{
 * code, version }`: from there on the run has the code of that hash, in a program of that version, if it has one. Numbers of
 * ticks count the first two. The path names the workflow of the child for a reader who begins in the middle.
 *
 * Also events that a run shows, and prompts that it waits with, as texts of the store.
 *
 * @module
 */

import type { PendingPrompt } from "../../authoring/handler.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import {
  type CompiledWorkflow,
  decodeTick,
  type EncodedEvent,
  type EncodedTick,
  type EventData,
  encodeEvent,
  encodeOutcome,
  encodeTick,
  type LiveRun,
  type LiveRunCore,
  type Outcome,
  openPrompts,
  PiecesEvent,
  roleOf,
  type StepCompleted,
  type StreamedEvent,
  type Tick,
  tolerant,
  type WorkflowEvent,
} from "../../host.js";
import { isObject } from "../../value/kind.js";
import type { WrittenPieces } from "../../value/pieces.js";
import * as shape from "../../value/shape.js";

const writeLess = "Return, send and write less at once, or keep large data elsewhere and its address in the run.";

export type JournalEntry =
  | { readonly kind: "tick"; readonly child: ChildPlace | null; readonly json: EncodedTick }
  | { readonly kind: "code"; readonly hash: string };

/** The child that a tick is about. */
export interface ChildPlace {
  readonly runId: string;
  /** Names of children, from the root. */
  readonly path: readonly string[];
}

function tickText(tick: Tick, compiled: CompiledWorkflow): string {
  const short = shortTick(encodeTick(tick, compiled));
  try {
    return tick.type === "step.completed" && isResult(tick.output)
      ? endText(tick.output, short)
      : JSON.stringify(short);
  } catch (cause) {
    // Each value fits, but all together do not: engines hold about 500 million characters in one text.
    throw new WorkflowError({
      code: "VALUE_UNSERIALIZABLE",
      message: `${tick.type} is more than one text can hold, which cannot be stored.`,
      hint: writeLess,
      details: { path: tick.type },
      cause,
    });
  }
}

/** Texts of results that the summary of a run repeats: a result may be nearly all that the run stores. */
const results = new WeakMap<object, string>();

function isResult(output: StepCompleted["output"]): output is EventData {
  return output !== null && !Array.isArray(output) && roleOf(output as WorkflowEvent) === "stop";
}

function endText(result: EventData, short: object): string {
  const { output, ...rest } = short as { readonly output: unknown };
  const text = JSON.stringify(output);
  results.set(result, text);
  return `${JSON.stringify(rest).slice(0, -1)},"output":${text}}`;
}

/** Returns the text of an outcome. The text of its result is that of the tick. */
export function outcomeText(outcome: Outcome, compiled: CompiledWorkflow): string {
  if (outcome.status !== "completed") return JSON.stringify(encodeOutcome(outcome, compiled));
  const text = results.get(outcome.event);
  results.delete(outcome.event); // it is asked once, and the event may live long
  return text === undefined
    ? JSON.stringify(encodeOutcome(outcome, compiled))
    : `{"status":"completed","event":${text}}`;
}

/** Error for a tick that is longer than the store of the run allows. */
function tickTooLong({ type }: Tick, length: number, most: number): WorkflowError {
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${type} has ${length} characters of JSON; the store of this run accepts at most ${most} per tick.`,
    hint: writeLess,
    details: { path: type, length, most },
  });
}

/** @param child `null` for the run itself. */
export function entryText(text: string, child: ChildPlace | null): string {
  if (child === null) return text;
  return `{"run":${JSON.stringify(child.runId)},"path":${JSON.stringify(child.path)},"tick":${text}}`;
}

/** @param version Version of the program; `null` if it has none. */
export function codeText(hash: string, version: string | null): string {
  return JSON.stringify({ code: hash, ...(version !== null && { version }) });
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT` naming the run and the batch. */
export function readBatch(list: unknown, where: string): JournalEntry[] {
  if (!Array.isArray(list)) throw corrupt(where, "is not a list of ticks");
  return list.map((entry: unknown, index) => {
    const fields = (entry ?? {}) as { readonly [name: string]: unknown };
    if (typeof fields["type"] === "string") return { kind: "tick", child: null, json: wholeTick(fields) };
    if (typeof fields["code"] === "string") return { kind: "code", hash: fields["code"] };
    const { run, path, tick } = fields;
    if (typeof run === "string" && isPath(path) && typeof tick === "object") {
      const json = wholeTick((tick ?? {}) as { readonly [name: string]: unknown });
      return { kind: "tick", child: { runId: run, path }, json };
    }
    throw corrupt(where, `has an entry ${index} that is not a tick`);
  });
}

function isPath(path: unknown): path is readonly string[] {
  return Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === "string");
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw corrupt(where, "is not JSON", cause);
  }
}

export function corrupt(where: string, what: string, cause?: unknown): WorkflowError {
  return new WorkflowError({
    code: "JOURNAL_CORRUPT",
    message: `What is stored of ${where} ${what}.`,
    hint: "The store was changed by another program: restore it from a backup, or delete the run with `runtime.delete(runId)`.",
    details: { where },
    ...(cause !== undefined && { cause }),
  });
}

/** `null` for the root of the tree. */
export function placeOfChild(runner: LiveRunCore): ChildPlace | null {
  const path: string[] = [];
  for (let link = runner.parent; link !== null; link = link.run.parent) path.unshift(link.name);
  return path.length === 0 ? null : { runId: runner.state.runId, path };
}

// ---- ticks as a journal stores them: without what most of them say alike, and with each value once
//     {"type":"step.completed","atMs":5,"item":2,"output":null,"change":[[["count"],2],[["list",0],{…},"add"]],
//      "shown":[{"type":"Said","data":{"at":5},"same":{"text":1}}]}
//
// The first attempt and no sends are left out. A patch is `[path]` (remove), `[path, value]` (replace) or `[path, value, op]`. A
// field of an event that the edit shows and that is also the value of a patch is the number of that patch.

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
 * Returns the tick without the texts of a call at work: its function writes them again in its next attempt, and its record
 * has all. Their texts are in the stream.
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
  if (type !== PiecesEvent.type || !isObject(data) || "pieces" in data) return json as EncodedTick;
  const event = { type, data: { call: json["call"], ...data, pieces: [] } };
  return { origin: null, promptId: null, ...json, event } as unknown as EncodedTick;
}

/** Returns the patches of a change; `null` if it has none, or if they hold values that JSON does not have. */
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
    const index = isObject(value) ? patches.findIndex((patch) => patch.value === value) : -1;
    if (index < 0) (data ??= {})[name] = value;
    else (same ??= {})[name] = index;
  }
  if (same === null) return event;
  const { type, version } = event;
  return { type, ...(version !== undefined && { version }), ...(data !== null && { data }), same: same as never };
}

function wholeEvent(short: unknown, patches: readonly unknown[]): unknown {
  const { same, ...event } = (short ?? {}) as ShortEvent;
  if (!isObject(same)) return short;
  const fields = Object.entries(same).map(([name, index]) => [name, (patches[index] as Patch | undefined)?.value]);
  return { ...event, data: { ...(event.data as object), ...Object.fromEntries(fields) } };
}

// ---- the texts of ticks that are in no commit yet

interface TextOptions {
  readonly compiled: CompiledWorkflow;
  /** Maximum length in UTF-16 code units. @default no limit */
  readonly maxLength: number | undefined;
}

export class TickTexts {
  readonly #texts: Map<Tick, { readonly atMs: number; readonly text: string }> = new Map();

  /**
   * Makes the text of a tick; again, if its time has changed. Returns `false` where nothing was to be done.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when it cannot be stored, or is too long.
   */
  prepare(tick: Tick, { compiled, maxLength = Number.POSITIVE_INFINITY }: TextOptions): boolean {
    if (this.#texts.get(tick)?.atMs === tick.atMs) return false;
    const text = tickText(tick, compiled);
    if (text.length > maxLength && isOfUserCode(tick)) throw tickTooLong(tick, text.length, maxLength);
    this.#texts.set(tick, { atMs: tick.atMs, text });
    return true;
  }

  /** The text of a tick that was prepared; the tick goes into a commit. */
  take(tick: Tick): string {
    const { text } = this.#texts.get(tick) as { readonly text: string };
    this.#texts.delete(tick);
    return text;
  }
}

/** Whether user code can get an error for a tick that is too long: ticks from outside or from a child were accepted before. */
function isOfUserCode(tick: Tick): boolean {
  return "item" in tick && tick.item !== null && tick.type !== "child.closed" && tick.type !== "step.failed";
}

/** Readers of the stream get it with how the run ended, so it is not stored as an event. */
export function isOutcome(event: WorkflowEvent): boolean {
  const role = roleOf(event);
  return role === "stop" || role === "terminal";
}

type Shown = Omit<StreamedEvent, "sequence">;

/** The form is that of the tick which shows it: an event of a child is read by its own workflow. */
function encodeShown(shown: Shown, compiled: CompiledWorkflow): object {
  const tick: Tick = { ...shown, type: "stream.written", atMs: 0, item: null, attempt: 0 };
  return encodeTick(tick, compiled);
}

function decodeShown(json: unknown, compiled: CompiledWorkflow): Shown {
  const tick = decodeTick(json, tolerant(compiled)); // a reader may have older code than the run
  if (tick.type !== "stream.written") throw corrupt(`an event of "${compiled.name}"`, `is a ${tick.type}`);
  const { type: _, atMs: __, item: ___, attempt: ____, ...shown } = tick;
  return shown as Shown;
}

/** Fields that nearly every event has, and its text leaves out. */
const usual = { type: "stream.written", atMs: 0, item: null, attempt: 0, origin: null, promptId: null };

export function shownText(item: Shown, compiled: CompiledWorkflow): string {
  const { origin, promptId, writer, call } = item;
  const { event } =
    origin === null
      ? { event: encodeEvent(item.event, item.event.type, compiled.values) }
      : (encodeShown(item, compiled) as Shown);
  const place = { ...(origin !== null && { origin }), ...(promptId !== null && { promptId }) };
  return JSON.stringify({ event, ...place, writer, call });
}

export function readShown(text: string, compiled: CompiledWorkflow, where: string): Shown {
  return decodeShown({ ...usual, ...(parseJson(text, where) as object) }, compiled);
}

/** Returns the open prompts as JSON; `null` if none is open. */
export function promptsText(runner: LiveRun): string | null {
  const prompts = openOf(runner, null, runner.host.compiled);
  return prompts.length === 0 ? null : JSON.stringify(prompts);
}

function openOf(runner: LiveRun, origin: string | null, compiled: CompiledWorkflow): object[] {
  const { state, host } = runner;
  const open = openPrompts({ ...host, state });
  const own = open.map(({ event, promptId, ...facts }) => ({
    ...facts,
    shown: encodeShown({ event, origin, promptId }, compiled),
  }));
  const below = [...(runner.children?.values() ?? [])].map((child) => {
    const name = child.parent?.name ?? "";
    return openOf(child, origin === null ? name : `${origin}/${name}`, compiled);
  });
  return [...own, ...below.flat()];
}

export function readPrompts(text: string | null, compiled: CompiledWorkflow, where: string): PendingPrompt[] {
  const list = text === null ? [] : parseJson(text, where);
  const [problem] = storedPrompts(list) ?? [];
  if (problem !== undefined) throw corrupt(where, `has a wrong \`${problem.path}\` in its prompts: it ${problem.what}`);
  return (list as shape.Shaped<typeof storedPrompts>).map(({ shown, runId, step, askedAtMs, dueAtMs, answerType }) => {
    const { event, promptId } = decodeShown(shown, compiled);
    return { promptId: promptId ?? "", event, runId, step, askedAtMs, dueAtMs, answerType };
  });
}

const textOrNull = shape.nullable(shape.text);
const storedPrompts = shape.list(
  shape.object({
    shown: shape.anything,
    runId: shape.text,
    step: textOrNull,
    askedAtMs: shape.time,
    dueAtMs: shape.nullable(shape.time),
    answerType: textOrNull,
  }),
);
