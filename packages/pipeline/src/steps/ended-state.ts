/** The state of a run as it ends: with what attempts have done that were at work then. */

import { keepChanges } from "@millrace/executor";
import { createDraft, finishedState, projectedState, settledChildren } from "millrace/engine";
import { within } from "../attempts/live-run.js";
import type { OpenAttempt } from "../attempts/open-attempt.js";
import { INTERRUPTED } from "../data/interrupted.js";
import { createOutput } from "../data/step-output.js";
import { identityOf } from "../nodes/node-facts.js";
import { listOutput } from "../state/group-output.js";
import { nestedIn, ownState, rootState } from "../state/own-state.js";
import type { PipelineState, RunTreeState } from "../state/pipeline-state.types.js";
import type { StepParts } from "./plan.types.js";
import { readRoot, viewOf } from "./run-state.js";

/** How long the end of a run waits for what its nested runs have written: they may be kept from storing it. */
const STREAM_MS = 1_000;

/** Ends all attempts of the run, and of runs nested in it. Nothing of this is stored but the output of the run. */
export async function endedState({ ctx, live }: StepParts): Promise<PipelineState> {
  const { runId } = ctx;
  const root = live.ended.get(runId) ?? (await endedRoot({ ctx, live }));
  live.ended.set(runId, root);
  return { ...viewOf(root, runId), nested: nestedIn(root, runId) };
}

async function endedRoot({ ctx, live }: StepParts): Promise<RunTreeState> {
  const cut = await live.stop(ctx.runId);
  await within(STREAM_MS, settledChildren(ctx)); // their events come before the last one of the run
  const root = rootState(await projectedState(ctx)); // with the changes of attempts that have just ended
  // What a nested run has changed is stored by the run around it.
  const changes = ownState(root, ctx.runId) === root ? live.changesLeft() : [];
  if (cut.length === 0 && changes.length === 0 && !live.hasOrphans) return root;
  const draft = createDraft(root);
  for (const attempt of cut) leaveOutput(draft, attempt);
  live.storeOrphans(draft, ctx.runId);
  for (const { scope, patches } of changes) {
    const stored = scope.write(draft);
    if (stored !== null) keepChanges(stored, patches);
  }
  return finishedState(draft);
}

/** With what attempts of a nested run have left behind that has ended without storing it. */
export async function leftBehind({ ctx, live }: StepParts, runId: string): Promise<RunTreeState> {
  await live.settled(runId);
  const draft = createDraft(await readRoot(ctx));
  live.storeOrphans(draft, runId);
  return finishedState(draft);
}

/** Its usage is stored separately. */
function leaveOutput(root: RunTreeState, { runId, node, place, work }: OpenAttempt): void {
  const frame = ownState(root, runId).frames[place.frame];
  if (node?.kind !== "step" || work === null || frame === undefined) return;
  const said = work.text === "" ? {} : { content: work.text };
  listOutput(frame, place.at, createOutput({ ...identityOf(node), ...said, success: false, error: INTERRUPTED }));
}
