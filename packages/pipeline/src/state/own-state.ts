/**
 * Where the state of a run is kept.
 *
 * A pipeline and the pipelines nested in it are the runs of one tree, with one core store. Each has its own part: the outermost one the
 * fields of the store itself, a nested one those under `nested`, by its run id. Session state and history are those of the outermost
 * one, for all: there is one session state for any depth (or for isolated branches, one for each of them: see
 * `branch-state.ts`).
 *
 * @module
 */

import { emptyMedia, type JsonObject, type StoredSession } from "@millrace/executor";
import type { RunListing } from "millrace/runtime";
import type { OwnState, PipelineState, PreparedInside, PreparedRun, RunTreeState } from "./pipeline-state.types.js";

/** The state of the run tree in the store, which may be a draft. */
export function rootState(store: object): RunTreeState {
  return store as RunTreeState;
}

/** Changed in place within an edit. */
export function ownState(root: RunTreeState, runId: string): OwnState {
  return root.nested?.[runId] ?? root;
}

/** Runs inside this one, at any depth. */
export function nestedIn(root: RunTreeState, runId: string): Record<string, OwnState> {
  if (ownState(root, runId) === root) return root.nested;
  return Object.fromEntries(Object.entries(root.nested).filter(([id]) => id.startsWith(`${runId}/`)));
}

/** Begins a nested run. Its parent refers to it by the visit of its step, also if the run continues as a fork with another id. */
export function nestIn(root: RunTreeState, runId: string, prepared: PreparedInside): void {
  root.nested[runId] = freshPart(prepared);
  const { nesting } = prepared.request;
  if (nesting === null) return;
  const around = ownState(root, nesting.parentRunId);
  around.childRuns ??= {};
  around.childRuns[nesting.parentVisit] = [...(around.childRuns[nesting.parentVisit] ?? []), runId];
}

/** Called when a group around a nested run was discarded: its result is no longer awaited. */
export function isGivenUp({ nested = {}, frames }: Pick<PipelineState, "nested" | "frames">, runId: string): boolean {
  const nesting = nested[runId]?.request.nesting ?? null;
  if (nesting === null) return false;
  const { parentRunId, parentPlace } = nesting;
  const around = nested[parentRunId]?.frames ?? frames;
  return around[parentPlace.frame] === undefined || isGivenUp({ nested, frames }, parentRunId);
}

/** Drops the state of nested runs started by a step of this run, and of runs inside those. */
export function forgetNested(root: RunTreeState, step: { readonly runId: string; readonly visit: number }): void {
  const { childRuns } = ownState(root, step.runId);
  const runIds = childRuns?.[step.visit];
  if (childRuns === undefined || runIds === undefined) return;
  delete childRuns[step.visit];
  forget(root, runIds);
}

function forget(root: RunTreeState, runIds: readonly string[]): void {
  for (const runId of runIds) {
    forget(root, Object.values(root.nested[runId]?.childRuns ?? {}).flat());
    delete root.nested[runId];
  }
}

/** State of a run before its first step. */
export function freshState(prepared: PreparedRun): RunTreeState {
  return { ...prepared, ...freshPart(prepared), counted: {}, nested: {} };
}

/** The same, of a run inside another. */
function freshPart({ request, startedAtMs }: Pick<OwnState, "request" | "startedAtMs">): OwnState {
  return {
    request,
    startedAtMs,
    query: null,
    agentRun: null,
    failure: null,
    frames: {},
    reviews: {},
    answered: [],
    discarded: [],
    events: [],
    executorRuns: [],
    visits: 0,
  };
}

/** State of a run that has not begun, from its labels. */
export function unbegunState({ labels, createdAtMs }: Pick<RunListing, "labels" | "createdAtMs">): PipelineState {
  const request = {
    additionalData: {},
    media: emptyMedia,
    sessionId: labels["session"] ?? "",
    userId: labels["user"] ?? null,
    dependencies: {},
    metadata: {},
    showsSteps: false,
    showsExecutors: false,
    nesting: null,
  };
  return freshState({ request, startedAtMs: createdAtMs, history: [], session: {}, sessionAtStart: {} });
}

/** A session state: of the outermost run, or of one branch. */
export interface StateScope {
  /** `""`: of the run. */
  readonly key: string;
  /** What is stored, also before the first change. Null: the branch was given up. */
  read(root: RunTreeState): Readonly<JsonObject> | null;
  /** To be changed in place, within an edit. Null: the branch was given up. */
  write(draft: RunTreeState): StoredSession | null;
}
