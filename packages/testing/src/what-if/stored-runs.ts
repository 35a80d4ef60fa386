/** The recordings that are played: given ones, or those of a store. */
import { WorkflowError } from "millrace";
import { checkOptions, list, type Rules, unchecked, valueRule, wholeNumber } from "millrace/engine";
import type { RunRecording } from "../harness/run-recording.types.js";
import { recordRun } from "../replay/recording-of-run.js";
import type { SkippedRun, StoredRuns } from "./what-if.types.js";

export type RecordedRuns = Iterable<RunRecording> | AsyncIterable<RunRecording>;

const PAGE = 100;

const rules: Rules<StoredRuns> = {
  workflow: valueRule((name) => typeof name === "string", "the name of a workflow"),
  last: wholeNumber(1),
  status: list,
  ...unchecked("runtime tenant version labels input queue failure failedStep createdAfter createdBefore search"),
};

/** @param skip Called for each run that cannot be recorded. */
export async function* recordingsOf(
  runs: RecordedRuns | StoredRuns,
  skip: (run: SkippedRun) => void,
): AsyncGenerator<RunRecording, void> {
  if (!("runtime" in runs)) return yield* runs;
  checkOptions("The runs of `whatIf` are wrong", runs, { rules });
  const { runtime, tenant = "" } = runs;
  for await (const runId of idsOf(runs)) {
    const recording = await recordRun(runtime, runId, { tenant }).catch((error: unknown) => {
      if (!WorkflowError.is(error, "OPTION_INVALID")) throw error;
      skip({ runId, why: error.message });
    });
    if (recording !== undefined) yield recording;
  }
}

async function* idsOf({
  runtime,
  last = 500,
  status = ["completed", "failed"],
  ...filter
}: StoredRuns): AsyncGenerator<string, void> {
  let left = last;
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof runtime.runs>> = await runtime.runs({
      ...filter,
      status,
      limit: Math.min(left, PAGE),
      ...(cursor !== null && { cursor }),
    });
    for (const { runId } of page.runs) yield runId;
    left -= page.runs.length;
    cursor = page.cursor;
  } while (left > 0 && cursor !== null);
}
