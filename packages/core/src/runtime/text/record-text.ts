/** Texts of the store: values of records, names of own records, and starts of runs. */

import { invalidOption, WorkflowError } from "../../errors/workflow-error.js";
import { type DoneBy, decodeTick, decodeValue, encodeTick, type RunStarted, sameValue } from "../../host.js";
import { encodeValue } from "../../value/codec.js";
import { isRecord, isThenable } from "../../value/kind.js";
import type { RecordEdit, RecordValue } from "../api/runtime-records.types.js";
import { ownKinds } from "../options/call-options.js";
import type { RecordKey, StoredRecord, StoredRun } from "../store/run-store.types.js";
import type { RegisteredWorkflow } from "../worker/workflows/registered-workflows.js";
import { corrupt, parseJson } from "./journal-text.js";

/** Returns the next value of a record; `undefined` stands for no record. Pure. */
export type RecordChange = (current: unknown) => unknown;

/** Returns the stored text of an edit; `null` if the edit deletes the record. @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
export function recordText(edit: RecordEdit): string | null {
  return edit.delete === true ? null : JSON.stringify(encodeValue(edit.value, nameOf(edit)));
}

export function recordValue(key: Pick<RecordKey, "kind" | "id">, { version, text }: StoredRecord): RecordValue {
  return { version, value: recordContent(key, text) };
}

/** A new copy of the value; `undefined` for no record. */
export function recordContent(key: Pick<RecordKey, "kind" | "id">, text: string | null): unknown {
  return text === null ? undefined : decodeValue(parseJson(text, nameOf(key)), nameOf(key));
}

/**
 * The value that a change makes, and its text; `null` deletes the record.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an async function, `VALUE_UNSERIALIZABLE`; what the function throws.
 */
export function updatedBy(
  key: RecordKey,
  change: RecordChange,
  current: unknown,
): { readonly value: unknown; readonly text: string | null } {
  const value = change(current);
  if (isThenable(value)) throw asyncChange(key, value);
  return { value, text: value === undefined ? null : JSON.stringify(encodeValue(value, nameOf(key))) };
}

/** The text after all changes, each made with the result of the one before. */
export function updatedText(
  key: RecordKey,
  stored: StoredRecord | null,
  changes: readonly RecordChange[],
): string | null {
  return changes.reduce((text, change) => updatedBy(key, change, recordContent(key, text)).text, stored?.text ?? null);
}

/** The key of a record as one text. */
export function recordName({ tenant, kind, id }: RecordKey): string {
  return JSON.stringify([tenant, kind, id]);
}

export function nameOf({ kind, id }: Pick<RecordKey, "kind" | "id">): string {
  return `record "${id}" of kind "${kind}"`;
}

function asyncChange(key: RecordKey, given: PromiseLike<unknown>): WorkflowError {
  given.then(null, () => {}); // not awaited; its failure adds nothing to this error
  return invalidOption(
    `The update of ${nameOf(key)} returned a promise.`,
    "Pass a synchronous function: await what it needs before, and drop its `async`.",
    { option: "change" },
  );
}

export function recordConflict(
  keys: readonly Pick<RecordKey, "kind" | "id">[],
  why: string,
  hint: string,
): WorkflowError {
  return new WorkflowError({
    code: "RECORD_CONFLICT",
    message: `${keys.map((key) => nameOf(key)).join(", ")}: ${why}.`,
    hint,
    details: { records: keys.map(({ kind, id }) => ({ kind, id })) },
  });
}

// ---- names of the records that a runtime keeps for itself

/** A kind of records that belongs to the runtime. */
export function ownKind(name: string): string {
  return `${ownKinds}${name}`;
}

/** A text that sorts like the number. */
export function timeText(atMs: number): string {
  return String(Math.floor(atMs)).padStart(16, "0");
}

// ---- the start of a run, as the text that the store keeps

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
export function startText(started: RunStarted, { compiled }: RegisteredWorkflow): string {
  return JSON.stringify(encodeTick({ ...started, atMs: 0 }, compiled));
}

export function readStart(run: StoredRun, { compiled }: RegisteredWorkflow): RunStarted {
  const where = `run "${run.key.runId}"`;
  const tick = decodeTick(parseJson(run.input, where), compiled);
  if (tick.type !== "run.started") throw corrupt(where, `begins with ${tick.type}`);
  return tick;
}

/** Returns who started the run, or made the fork. */
export function starterOf({ input, key }: StoredRun): DoneBy | undefined {
  return (parseJson(input, `run "${key.runId}"`) as { readonly by?: DoneBy }).by;
}

/** Returns the start text of a fork: the same start with another `by`. */
export function startBy(input: string, by: DoneBy | undefined): string {
  const { by: _, ...start } = parseJson(input, "a run") as { readonly by?: DoneBy };
  return JSON.stringify(by === undefined ? start : { ...start, by });
}

interface StoredEvent {
  readonly type: unknown;
  readonly data: unknown;
}

/** Whether two runs were started with the same event. */
export function sameStart(left: string, right: string): boolean {
  return sameValue(eventOf(left), eventOf(right));
}

/** Paths of the fields in which the events of two starts differ: at most three. Empty if the events differ in other ways. */
export function differingFields(left: string, right: string): string[] {
  return differing(eventOf(left).data, eventOf(right).data, "").slice(0, 3);
}

function differing(left: unknown, right: unknown, path: string): string[] {
  if (sameValue(left, right)) return [];
  if (!isRecord(left) || !isRecord(right)) return path === "" ? [] : [path.slice(0, 200)];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) => differing(left[name], right[name], path === "" ? name : `${path}.${name}`));
}

function eventOf(text: string): StoredEvent {
  return (parseJson(text, "a run") as { readonly event: StoredEvent }).event;
}

/** Returns whether the run was stored without its first tick. */
export function isNotBegun({ ticks, forkedFrom }: StoredRun): boolean {
  return ticks === 0 && forkedFrom === null;
}
