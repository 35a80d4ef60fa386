import type { Workflow } from "millrace";
import type { RawHistoryEntry } from "millrace/runtime";

/** Plain JSON: every tick of a run and its children, with what its calls, models and people answered. */
export interface RunRecording {
  readonly format: 1;
  /** Name of the workflow in its runtime. */
  readonly workflow: string;
  readonly runId: string;
  readonly ticks: readonly RecordedTick[];
}

/** A tick as it is stored. */
export interface RecordedTick {
  readonly runId: string;
  readonly tick: RawHistoryEntry["tick"];
}

/**
 * Keeps the run that shows a failure, and returns a sentence for the message of the failure. `runFile` of `@millrace/cli/run-file`
 * writes a file for `millrace open`.
 */
export type SaveRun = (run: RunRecording, workflow: Workflow) => string | Promise<string>;
