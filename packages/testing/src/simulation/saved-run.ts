/** The run to look at after a simulation has failed. */
import type { Workflow } from "millrace";
import { createRuntime } from "millrace/runtime";
import { ticksOf } from "../replay/recording-of-run.js";
import type { Cluster } from "./cluster.js";
import type { Process } from "./process.js";
import type { Simulation, StartedRun } from "./simulation.types.js";

export interface FailedSimulation {
  readonly simulation: Simulation;
  readonly cluster: Cluster<Process>;
  /** In the order in which callers have started them. */
  readonly runs: readonly StartedRun[];
  readonly problems: readonly string[];
}

/** Lines for the report. A run that cannot be read is said there: it may be the failure. */
export async function savedRun(failed: FailedSimulation): Promise<readonly string[]> {
  const { simulation, runs, problems } = failed;
  const run = runs.find(({ runId }) => problems.some((problem) => problem.includes(`"${runId}"`))) ?? runs.at(-1);
  if (simulation.saveRun === undefined || run === undefined) return [];
  try {
    return [await save(failed, run, simulation.saveRun)];
  } catch (error) {
    return [`The run "${run.runId}" could not be kept: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Reads the store past all faults, with a clock whose timers never fire. */
async function save(
  { simulation, cluster }: FailedSimulation,
  { runId, tenant }: StartedRun,
  saveRun: NonNullable<Simulation["saveRun"]>,
): Promise<string> {
  const workflows = simulation.workflows(cluster.processes[0] as Process);
  const runtime = createRuntime({ workflows, store: cluster.store, clock: cluster.clock, execute: false });
  const { workflow } = await runtime.handle(runId, { tenant }).summary();
  const ticks = await ticksOf(runtime, runId, tenant);
  return saveRun({ format: 1, workflow, runId, ticks }, workflows[workflow] as Workflow);
}
