/** What a run is started with, as the text that the store keeps. */
import type { RunStarted } from "../../engine/tick.js";
import { sameValue } from "../../event/equal.js";
import { decodeTick, encodeTick } from "../../snapshot/tick-codec.js";
import type { RegisteredWorkflow } from "../code/registered-workflows.js";
import type { StoredRun } from "../store/run-store.types.js";
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

/** Whether two runs were started with the same event. */
export function sameStart(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => (parseJson(text, "a run") as { readonly event: unknown }).event);
  return sameValue(one, other);
}

/** It was stored, and its first tick was not. */
export function isNotBegun({ ticks, forkedFrom }: StoredRun): boolean {
  return ticks === 0 && forkedFrom === null;
}
