/** A new run that begins where another one was after a tick. */
import { produce } from "immer";
import { WorkflowError } from "../errors/workflow-error.js";
import { restoreRun } from "../run/snapshot-run.js";
import type { RunDesk } from "./desk.js";
import { contextOf, treeAt } from "./history.js";
import type { LoadFrom } from "./load.js";
import type { RunKey } from "./run-store.types.js";
import type { ForkOptions } from "./runtime.types.js";

export interface Fork {
  readonly desk: RunDesk;
  readonly from: LoadFrom;
  readonly key: RunKey;
}

/**
 * @throws {WorkflowError} `OPTION_INVALID` for a tick that never was, `HISTORY_TRIMMED`, `RUN_FINISHED` for one at which the run had ended,
 * `STATE_INVALID` for an edit that does not fit, `RUN_ID_CONFLICT`.
 */
export async function forkRun({ desk, from, key }: Fork, { at, edit }: ForkOptions): Promise<void> {
  const { run, workflow } = from;
  const tree = await treeAt(from, at);
  if (tree.root.state.outcome !== null) throw hasEnded(run.key.runId, at);
  const { state, children } = restoreRun(workflow.compiled, { ...contextOf(tree), runId: key.runId });
  if (edit !== undefined) {
    const edited = produce(state.store, (draft: unknown) => void edit(draft as Record<string, unknown>));
    state.store = workflow.compiled.state?.checkAll(edited) ?? edited;
  }
  await desk.startAt({
    key,
    workflow,
    state,
    children,
    record: {
      workflow: run.workflow,
      input: run.input,
      code: workflow.code.hash,
      createdAtMs: desk.clock.now(),
      startAtMs: desk.clock.now(),
      labels: run.labels,
      forkedFrom: { runId: run.key.runId, tick: at },
    },
  });
}

function hasEnded(runId: string, tick: number): WorkflowError {
  return new WorkflowError({
    code: "RUN_FINISHED",
    message: `Run "${runId}" had ended at tick ${tick}: nothing goes on from there.`,
    hint: "Take an earlier tick of `runtime.history(runId)`.",
    details: { runId, tick },
  });
}
