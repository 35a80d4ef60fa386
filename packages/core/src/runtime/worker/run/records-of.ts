import type { RunContext } from "../../../authoring/run-context.types.js";
import { WorkflowError } from "../../../errors/workflow-error.js";
import { attemptOf } from "../../../host.js";
import type { StepRecords } from "../../api/runtime-records.types.js";
import { DurableRun } from "./durable-run.js";

/**
 * The records of the tenant of this run: versioned data beside the runs, such as a session that many runs share.
 *
 * @example
 * const records = recordsOf(ctx);
 * const visits = await records.update("counter", "visits", (count: number = 0) => count + 1);
 * return new StopEvent({ result: visits }); // stores the record and the end of the step together
 *
 * @throws {WorkflowError} `RUNTIME_REQUIRED` in a run without a runtime, `ATTEMPT_ENDED`.
 */
export function recordsOf(ctx: Pick<RunContext, "runId">): StepRecords {
  const attempt = attemptOf(ctx);
  const journal = attempt?.run.journal;
  if (!attempt || !(journal instanceof DurableRun)) throw runtimeRequired();
  attempt.assertAlive();
  return journal.recordsOf(attempt);
}

function runtimeRequired(): WorkflowError {
  return new WorkflowError({
    code: "RUNTIME_REQUIRED",
    message: "`recordsOf` was called outside a step of a durable run.",
    hint: "Start the run with `createRuntime({ workflows, store })`, and pass the `ctx` of the step to `recordsOf`.",
  });
}
