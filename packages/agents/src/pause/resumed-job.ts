import type { ExecutorResume } from "@millrace/pipeline/executor";
import type { ExecutorSettings } from "../executor-settings.types.js";
import type { RunJob } from "../run/job.types.js";
import type { ResumedRun } from "./paused-state.types.js";
import { readPause } from "./read-pause.js";

/**
 * Restores the input, media, history and idempotency key of the paused run.
 *
 * @throws {WorkflowError} `RUN_NOT_PAUSED` or `REQUIREMENT_INVALID`.
 */
export function resumedJob(settings: ExecutorSettings, job: RunJob, resume: ExecutorResume): RunJob {
  const resumed: ResumedRun = readPause(settings, resume);
  const { runId, createdAtMs, idempotencyKey, input, media, history } = resumed.state;
  return { ...job, runId, createdAtMs, idempotencyKey, input, media, history, resumed };
}
