/** Checks that the next steps of a stored run exist in the present code. */
import { WorkflowError } from "millrace";
import { sizeOf } from "../data/paged-list.js";
import type { PipelineIdentity } from "../data/step-function.types.js";
import { lastStart } from "../state/group-output.js";
import type { Frame, PipelineState, Place } from "../state/pipeline-state.types.js";
import { stepOfType } from "./pipeline-events.js";
import type { PipelineTree } from "./pipeline-tree.js";

interface Stored {
  readonly pipeline: PipelineIdentity;
  readonly tree: PipelineTree;
  readonly state: Pick<PipelineState, "frames">;
}

/** Lists of names that were found in this tree: the code of a process does not change, so each is looked through once. */
const found = new WeakMap<readonly string[], PipelineTree>();

/** Before anything is done at this place: of the groups around it, all that comes after. @throws {WorkflowError} `SNAPSHOT_MISMATCH` */
export function assertSteps(stored: Stored, place: Place): void {
  const missing: string[] = [];
  let { frame: key, at } = place;
  for (let frame = stored.state.frames[key]; frame !== undefined; frame = stored.state.frames[key]) {
    if (found.get(frame.names) !== stored.tree) missing.push(...lookThrough(stored.tree, frame, at));
    if (frame.parent === null) break;
    [key, at] = [frame.parent, frame.at];
  }
  if (missing.length > 0) throw missingSteps(stored.pipeline, missing);
}

/** Of all that the run has under way. @throws {WorkflowError} `SNAPSHOT_MISMATCH` */
export function assertAllSteps({ pipeline, tree, state }: Stored): void {
  const missing = Object.values(state.frames).flatMap((frame) =>
    missingFrom(tree, frame, sizeOf(frame.outputs) - lastStart(frame)),
  );
  if (missing.length > 0) throw missingSteps(pipeline, missing);
}

function lookThrough(tree: PipelineTree, frame: Frame, at: number): string[] {
  const missing = missingFrom(tree, frame, at);
  // A loop comes back to what is before this place.
  const isAll = at <= 0 || frame.node === null || tree.node(frame.node).kind !== "loop";
  if (missing.length === 0 && isAll) found.set(frame.names, tree);
  return missing;
}

/** Of one group, from this place in its queue on. The branches of a Parallel are all under way, and known by themselves. */
function missingFrom(tree: PipelineTree, { node, queue, names }: Frame, at: number): string[] {
  if (node !== null && tree.node(node).kind === "parallel") return [];
  const children = tree.childrenOf(node);
  const first = Math.max(0, at); // between its iterations a loop is nowhere in its queue
  return names.slice(first).filter((name, after) => children[queue[first + after] as number]?.name !== name);
}

/** Reports in terms of the pipeline which steps of a stored run are missing. */
export async function reading<Result>(pipeline: PipelineIdentity, read: PromiseLike<Result>): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    const step = WorkflowError.is(error, "EVENT_UNKNOWN") ? stepOfType(String(error.details["event"])) : null;
    if (step === null) throw error;
    throw Object.assign(missingSteps(pipeline, [step]), { cause: error });
  }
}

function missingSteps({ name }: PipelineIdentity, steps: readonly string[]): WorkflowError {
  const named = steps.map((step) => `"${step}"`).join(", ");
  const error = new WorkflowError({
    code: "SNAPSHOT_MISMATCH",
    message: `The run has work for ${named}, which the pipeline "${name}" no longer has at that place.`,
    hint: "Keep the names and the places of steps until the runs that have them before them have ended.",
    details: { reason: "step", pipeline: name, steps },
  });
  return Object.assign(error, { retryable: false });
}
