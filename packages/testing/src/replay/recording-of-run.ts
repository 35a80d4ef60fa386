/** A run that has ended, as a file that a test reads. */
import { WorkflowError } from "millrace";
import type { Runtime } from "millrace/runtime";
import { redacted } from "millrace/wire";
import type { RecordedTick, RunRecording } from "../harness/run-recording.types.js";

export interface RecordOptions {
  readonly tenant?: string;
  /**
   * Names of fields whose texts are replaced, also where else they occur, such as `["email", "name"]`. Equal texts have equal
   * replacements. Numbers and dates stay. @default none
   */
  readonly redact?: readonly string[];
}

/**
 * Reads all that a run did, for `replayRun`.
 *
 * @param runtime It needs no workflow of that name, and need not be started.
 * @example
 * writeFileSync("refund-17.run.json", JSON.stringify(await recordRun(runtime, "refund-17", { redact: ["email"] })));
 * @throws {WorkflowError} `RUN_UNKNOWN`; `OPTION_INVALID` for a run that has not ended, is a fork, or whose first ticks are no longer
 * kept.
 */
export async function recordRun(
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows.
  runtime: Runtime<any>,
  runId: string,
  { tenant = "", redact = [] }: RecordOptions = {},
): Promise<RunRecording> {
  const { workflow, endedAtMs, forkedFrom } = await runtime.handle(runId, { tenant }).summary();
  if (endedAtMs === null) throw unfit(runId, "has not ended", "Wait for its end, or cancel it.");
  if (forkedFrom !== null)
    throw unfit(runId, "is a fork", `Record the run "${forkedFrom.runId}", of which it is a fork.`);
  const ticks = await ticksOf(runtime, runId, tenant);
  return redacted({ format: 1, workflow, runId, ticks }, redact);
}

/** @throws {WorkflowError} `OPTION_INVALID` if the first ticks are no longer kept. */
// biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows.
export async function ticksOf(runtime: Runtime<any>, runId: string, tenant: string): Promise<RecordedTick[]> {
  const ticks: RecordedTick[] = [];
  for await (const { number, runId: of, tick } of runtime.history(runId, { raw: true, tenant })) {
    if (ticks.length === 0 && number !== 1)
      throw unfit(runId, `begins with tick ${number}`, "Keep all ticks of the runs that tests are made of.");
    ticks.push({ runId: of, tick });
  }
  return ticks;
}

function unfit(runId: string, why: string, hint: string): WorkflowError {
  const message = `The run "${runId}" cannot be recorded: it ${why}.`;
  return new WorkflowError({ code: "OPTION_INVALID", message, hint, details: { runId } });
}

/** What a recording needs of a run file, the file that `millrace export` writes. */
export interface SavedRun {
  readonly handler: {
    readonly handler_id: string;
    readonly workflow_name: string;
    readonly completed_at: string | null;
    readonly forked_from: object | null;
  };
  readonly entries: readonly {
    readonly number: number;
    readonly at: string;
    readonly run_id: string;
    readonly tick: { readonly type: string; readonly [field: string]: unknown };
  }[];
}

/**
 * Makes a recording of a run file, for `replayRun`.
 *
 * @param file What `readRunFile` of `@millrace/client/run-file` returns.
 * @throws {WorkflowError} `OPTION_INVALID` for a run that has not ended, is a fork, or whose first ticks are not in the file.
 */
export function recordingOf({ handler, entries }: SavedRun): RunRecording {
  const { handler_id: runId, workflow_name: workflow, completed_at, forked_from } = handler;
  if (completed_at === null) throw unfit(runId, "has not ended", "Continue it: `Context.fromDict` takes its snapshot.");
  if (forked_from !== null) throw unfit(runId, "is a fork", "Export the run of which it is a fork.");
  const [first] = entries;
  if (first?.number !== 1)
    throw unfit(runId, `begins with tick ${first?.number ?? "none"}`, "Export it while all of its ticks are kept.");
  const ticks = entries.map(({ run_id, at, tick }) => ({ runId: run_id, tick: { ...tick, atMs: Date.parse(at) } }));
  return { format: 1, workflow, runId, ticks: ticks as unknown as RunRecording["ticks"] };
}
