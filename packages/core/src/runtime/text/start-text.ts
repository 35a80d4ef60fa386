/** What a run is started with, as the text that the store keeps. */
import { type DoneBy, decodeTick, encodeTick, type RunStarted, sameValue } from "../../host.js";
import { isPlainObject } from "../../value/kind.js";
import type { StoredRun } from "../store/run-store.types.js";
import type { RegisteredWorkflow } from "../worker/workflows/registered-workflows.js";
import { corrupt, parseJson } from "./journal-text.js";

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

/** Who has started the run; of a fork, who has made it. */
export function starterOf({ input, key }: StoredRun): DoneBy | undefined {
  return (parseJson(input, `run "${key.runId}"`) as { readonly by?: DoneBy }).by;
}

/** The same start by somebody else: that of a fork. */
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

const isRecord = (value: unknown): value is Record<string, unknown> => isPlainObject(Object(value));

function eventOf(text: string): StoredEvent {
  return (parseJson(text, "a run") as { readonly event: StoredEvent }).event;
}

/** It was stored, and its first tick was not. */
export function isNotBegun({ ticks, forkedFrom }: StoredRun): boolean {
  return ticks === 0 && forkedFrom === null;
}
