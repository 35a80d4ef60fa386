/**
 * A run as a file: what a server answers about one run, so that a page can show it without the server and without its code.
 *
 * @module
 */
import type { AttemptRecord, HandlerRecord, HistoryRecord, InputRecord, MomentRecord } from "millrace/wire";

/** Plain JSON. Its records are those of the HTTP API. */
export interface RunFile {
  readonly format: "millrace.run";
  readonly version: 1;
  /** When the file was written, as ISO 8601. */
  readonly saved_at: string;
  /** Names of the fields whose texts were replaced. */
  readonly redacted: readonly string[];
  /** The run, with its children. */
  readonly handler: HandlerRecord;
  /** The workflow of the run, then those of its children. */
  readonly workflows: readonly SavedWorkflow[];
  /** All ticks, with what each has changed in the state. */
  readonly entries: readonly HistoryRecord[];
  readonly attempts: readonly AttemptRecord[];
  readonly moments: readonly SavedMoment[];
  readonly inputs: readonly SavedInput[];
  /** For `Context.fromDict`. `null` for a run that has ended. */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
}

/** Answers of the server about one workflow. `null`: the server did not know the workflow. */
export interface SavedWorkflow {
  readonly name: string;
  readonly kind: "workflow" | "pipeline";
  readonly description: string | null;
  readonly schema: unknown;
  readonly events: unknown;
  readonly representation: unknown;
}

/** A run, or a child of it, after a tick. Fields that are as in the moment before of the same run are left out. */
export interface SavedMoment {
  readonly run_id: string;
  readonly number: number;
  readonly fields: Readonly<Partial<Omit<MomentRecord, "number" | "input">>>;
}

/** What a work item was started with. */
export interface SavedInput {
  readonly run_id: string;
  readonly item: number;
  readonly input: InputRecord;
}
