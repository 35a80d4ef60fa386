/** Starts a new run from the state of another run after a tick. */

import { WorkflowError } from "../../errors/workflow-error.js";
import { forkedRun } from "../../host.js";
import type { ForkOptions } from "../api/runtime.types.js";
import { auditWrites } from "../audit/audit-entry.js";
import { treeAt } from "../history/history.js";
import { indexedLater } from "../options/input-index.js";
import type { NewRunRecord, RunKey, StoredRun } from "../store/run-store.types.js";
import { runIdConflict } from "../store/store-kit.js";
import { differingFields, readStart, sameStart, startBy } from "../text/record-text.js";
import type { RunStarter } from "../worker/claim/run-starter.js";
import type { RunTable } from "../worker/claim/run-table.js";
import type { LoadFrom } from "../worker/load/load.js";

export interface Fork {
  readonly runTable: RunTable;
  readonly starter: RunStarter;
  readonly from: LoadFrom;
  readonly key: RunKey;
}

/**
 * @throws {WorkflowError} `OPTION_INVALID` for a tick that never existed, `HISTORY_TRIMMED`, `RUN_FINISHED` for a tick at which the
 * run had ended, `STATE_INVALID` for an invalid edit, `VALUE_UNSERIALIZABLE`, `EVENT_INVALID`, `RUN_ID_CONFLICT`.
 */
export async function forkRun({ runTable, starter, from, key }: Fork, options: ForkOptions): Promise<void> {
  const { at, by } = options;
  const { run, workflow } = from;
  const tree = await treeAt(from, at);
  if (tree.root.state.outcome !== null) throw hasEnded(run.key.runId, at);
  const { state, children } = forkedRun(tree, key.runId, options);
  runTable.assertOpen();
  const nowMs = runTable.clock.now();
  const done = { atMs: nowMs, action: "fork", workflow: run.workflow, by } as const;
  await starter.fork({
    key,
    workflow,
    state,
    children,
    audit: runTable.keepsAudit ? auditWrites(key, done) : [],
    record: {
      workflow: run.workflow,
      input: startBy(run.input, by),
      code: workflow.code.hash,
      version: workflow.code.version,
      createdAtMs: nowMs,
      startAtMs: nowMs,
      labels: run.labels,
      index: indexedLater(workflow.index, () => readStart(run, workflow).event, {
        runId: key.runId,
        log: workflow.host.ports.log,
      }),
      forkedFrom: { runId: run.key.runId, tick: at },
      queue: run.queue,
    },
  });
}

function hasEnded(runId: string, tick: number): WorkflowError {
  return new WorkflowError({
    code: "RUN_FINISHED",
    message: `Run "${runId}" had ended at tick ${tick}: there is nothing to continue.`,
    hint: "Use an earlier tick of `runtime.history(runId)`.",
    details: { runId, tick },
  });
}

/** @throws {WorkflowError} `RUN_ID_CONFLICT` unless the existing run has the same workflow and input. */
export function assertSame(existing: StoredRun, wanted: NewRunRecord): void {
  const isSameWorkflow = existing.workflow === wanted.workflow;
  if (isSameWorkflow && sameStart(existing.input, wanted.input)) return;
  const differs = isSameWorkflow ? differingFields(existing.input, wanted.input) : [];
  throw runIdConflict(existing.key, existing.workflow, { asked: wanted.workflow, differs });
}
