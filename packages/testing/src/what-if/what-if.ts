/**
 * Plays runs again with one part live, such as the model, and compares what they decide.
 *
 * @module
 */
import { type Workflow, WorkflowError } from "millrace";
import { type Rules, unchecked, valueRule } from "millrace/engine";
import { checkOptions, lifeRules, liveRule } from "../check-options.js";
import { type Ended, TIMEOUT_TURNS } from "../harness/drive.js";
import { alone } from "../harness/harness.js";
import type { RunRecording } from "../harness/run-recording.types.js";
import { type Paths, type PlayedRun, playRecording } from "../replay/play-recording.js";
import type { RunPath } from "../replay/run-path.js";
import { decidedDifferently, decisionsOf } from "./decisions.js";
import { nothingUsed, sumOf, usedBy } from "./model-answers.js";
import { ReplacedAgents } from "./replaced-agents.js";
import { type RecordedRuns, recordingsOf } from "./stored-runs.js";
import type {
  DecidedRun,
  SkippedRun,
  StoredRuns,
  Used,
  WhatIfOptions,
  WhatIfReport,
  WhatIfRun,
} from "./what-if.types.js";
import { isLiveBy, WhatIfWorld } from "./what-if-world.js";

const rules: Rules<WhatIfOptions> = {
  live: liveRule,
  unknown: valueRule(
    (unknown) => unknown === "stop" || unknown === "live" || typeof unknown === "function",
    '"stop", "live" or a function',
  ),
  ignore: lifeRules.events,
  compare: valueRule((compare) => typeof compare === "function", "a function"),
  onRun: valueRule((onRun) => typeof onRun === "function", "a function"),
  resources: lifeRules.resources,
  timeoutTurns: lifeRules.timeoutTurns,
  model: valueRule((model) => model !== null && /^(string|object)$/.test(typeof model), "a model, or its name"),
  ...unchecked("instructions"),
};

/**
 * Plays runs again, each over its journal: what would they have decided with another model, other instructions or other code?
 *
 * Only what is `live` is done again. Tools and effects answer from the recording, by key and by what they are called with; a call that
 * the recording does not answer stops the run, so nothing is sent, paid or changed. Code outside of `ctx.run` runs. The runs are played
 * one after the other.
 *
 * @param runs Recordings of `recordRun`, or `{ runtime, last }` for those of a store.
 * @example
 * const { share, runs } = await whatIf(new Support(), { runtime, workflow: "support", last: 500 }, { model: "gpt-5-mini" });
 * @throws {WorkflowError} `OPTION_INVALID`, also for a `model` or `instructions` that no agent uses.
 */
export async function whatIf(
  workflow: Workflow,
  runs: RecordedRuns | StoredRuns,
  options: WhatIfOptions = {},
): Promise<WhatIfReport> {
  checkOptions("whatIf", options, rules);
  const skipped: SkippedRun[] = [];
  const all: WhatIfRun[] = [];
  const agents = new ReplacedAgents(options);
  for await (const recording of recordingsOf(runs, (run) => skipped.push(run))) {
    const run = await alone(() => agents.during(() => playOne(workflow, recording, options)));
    all.push(run);
    options.onRun?.(run);
  }
  if (all.length > 0) agents.assertUsed();
  return reportOf(all, skipped);
}

async function playOne(workflow: Workflow, recording: RunRecording, options: WhatIfOptions): Promise<WhatIfRun> {
  const { live = ["model"], unknown = "stop", ignore = [], resources, timeoutTurns = TIMEOUT_TURNS } = options;
  const isLive = isLiveBy(live);
  const { runId } = recording;
  const worldOf = (paths: Paths): WhatIfWorld => new WhatIfWorld({ ...paths, runId, isLive, unknown });
  try {
    const run = await playRecording({ workflow, recording, ignore, resources, timeoutTurns, worldOf });
    return judged(run, recording, options);
  } catch (error) {
    if (!WorkflowError.is(error, "RECORDING_INVALID")) throw error;
    const used = { recorded: nothingUsed, played: nothingUsed };
    return { runId, verdict: "unknown", first: error.message, differences: [], stoppedAt: null, ended: false, ...used };
  }
}

function judged(run: PlayedRun<WhatIfWorld>, { runId }: RunRecording, { compare }: WhatIfOptions): WhatIfRun {
  const { recorded, played, world, ending } = run;
  const isComplete = "outcome" in ending;
  const [problem] = world.failures.values();
  const differences =
    isComplete && compare !== undefined
      ? compared(compare, run, runId)
      : decidedDifferently({ recorded, played, world, isComplete });
  const doubt = world.stop?.text ?? problem ?? ("error" in ending ? messageOf(ending.error) : null);
  // A model that was out of reach has decided nothing.
  const isOther = differences.length > 0 && problem === undefined;
  const verdict = isOther ? "other" : doubt === null ? "same" : "unknown";
  return {
    runId,
    verdict,
    first: isOther ? (differences[0] ?? null) : doubt,
    differences: problem === undefined ? differences : [],
    stoppedAt: world.stop?.call ?? null,
    ended: isComplete && problem === undefined,
    recorded: usedInRecord(recorded, world),
    played: usedNow(world),
  };
}

function compared(
  compare: NonNullable<WhatIfOptions["compare"]>,
  { recorded, played, world }: PlayedRun<WhatIfWorld>,
  runId: string,
): string[] {
  const [before, now] = [recorded, played].map((path) => decidedRun(path, world, runId)) as [DecidedRun, DecidedRun];
  const difference = compare(before, now);
  return difference === null ? [] : [difference];
}

function decidedRun(path: RunPath, world: WhatIfWorld, runId: string): DecidedRun {
  const [root] = path.runs.all.values();
  const outcome = root?.state.outcome;
  const result = outcome?.status === "completed" ? (outcome.event as { readonly result?: unknown }).result : undefined;
  const status: Ended["status"] = outcome?.status ?? "cancelled";
  return { runId, decisions: decisionsOf(path, world), status, result };
}

function usedInRecord(recorded: RunPath, world: WhatIfWorld): Used {
  const items = [...recorded.runs.all.keys()].flatMap((runId) => recorded.run(runId).items);
  return sumOf(
    items.flatMap((item) =>
      [...item.calls].flatMap(([call, outcome]) =>
        world.isLiveCall(item, call) ? usedBy(outcome, outcome.elapsedMs) : [],
      ),
    ),
  );
}

function usedNow({ times }: WhatIfWorld): Used {
  const all = [...times].flatMap(([item, calls]) =>
    [...calls].map(([call, elapsedMs]) => {
      const outcome = item.calls.get(call);
      return outcome === undefined ? { ...nothingUsed, calls: 1, latencyMs: elapsedMs } : usedBy(outcome, elapsedMs);
    }),
  );
  return sumOf(all);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function reportOf(runs: readonly WhatIfRun[], skipped: readonly SkippedRun[]): WhatIfReport {
  const count = (verdict: WhatIfRun["verdict"]): number => runs.filter((run) => run.verdict === verdict).length;
  const ended = runs.filter((run) => run.ended);
  const same = count("same");
  return {
    runs,
    skipped,
    same,
    other: count("other"),
    unknown: count("unknown"),
    share: runs.length === 0 ? 1 : same / runs.length,
    recorded: sumOf(ended.map(({ recorded }) => recorded)),
    played: sumOf(ended.map(({ played }) => played)),
  };
}
