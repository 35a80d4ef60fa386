/**
 * A cluster over simulated days: processes are killed, stopped, paused, cut off and deployed while callers use them.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import { toMs } from "millrace/engine";
import { memoryStore, type Workflows } from "millrace/runtime";
import { createRandom } from "../harness/random.js";
import { Callers } from "./callers.js";
import { checkSimulation } from "./check-simulation.js";
import { Cluster } from "./cluster.js";
import { FaultSchedule } from "./fault-schedule.js";
import { Process } from "./process.js";
import { lateRuns, lateSchedules, unfinishedRuns } from "./run-checks.js";
import { type FailedSimulation, savedRun } from "./saved-run.js";
import type { Simulation, SimulationReport, StartedRun } from "./simulation.types.js";
import { formatTime } from "./trace.js";

const HOUR_MS = 3_600_000;

/**
 * Plays a cluster under virtual time: several runtimes over one store, callers, and faults that follow from the seed.
 *
 * After each simulated hour and at the end it checks that no run is lost or neglected, that one owner at a time writes to a run, that
 * ticks are stored without gaps, that no effect is recorded twice, that every stream is gapless, that queues keep their limits
 * and their keys take turns, that no run is created twice, and that schedules occur; then comes `check`.
 * A simulation that fails fails again with the same seed, at the same simulated millisecond.
 *
 * Workflows, callers and checks may only await promises, `process.wait` and `caller.wait`: real timers, files and sockets are not
 * simulated, and their results depend on the machine.
 *
 * @example
 * await simulate({
 *   seed: 1,
 *   workflows: () => ({ order: new OrderFlow() }),
 *   callers: 500,
 *   async call(caller, number) {
 *     const run = await caller.start("order", { number }, { runId: `order-${number}` });
 *     await caller.wait("10m");
 *     await run.send(new Paid({ euros: 8 }), "paid");
 *     assert.equal(await run.result(), "shipped once");
 *   },
 * });
 * @throws {WorkflowError} `SIMULATION_FAILED` with the seed, the simulated time and what happened last. `OPTION_INVALID`.
 */
export async function simulate<Flows extends Workflows>(simulation: Simulation<Flows>): Promise<SimulationReport> {
  checkSimulation(simulation);
  const { seed, callers = 100, processes = 3, time = "1d", settle = "2h" } = simulation;
  const [timeMs, settleMs] = [toMs(time, "time"), toMs(settle, "settle")];
  const store = (await simulation.store?.()) ?? memoryStore({ maxEnded: Number.POSITIVE_INFINITY });
  const cluster = new Cluster<Process>(store, createRandom(seed));
  const leaseMs = simulation.runtime?.leaseMs ?? 60_000;
  const strikes = new FaultSchedule(cluster, simulation);
  strikes.plan(timeMs);
  const outside = new Callers(cluster, simulation.call);
  for (let number = 0; number < processes; number++)
    cluster.processes.push(new Process(cluster, `process ${number + 1}`, simulation));
  outside.plan(callers, timeMs);
  const { invariants, trace } = cluster;
  const runs = (): StartedRun[] => [...outside.started.values()];
  const isOver = (): boolean => outside.isOver && [...outside.started.keys()].every((id) => invariants.ended.has(id));

  const failed = async (problems: readonly string[], cause?: unknown): Promise<WorkflowError> => {
    const given = { simulation: simulation as unknown as Simulation, cluster, runs: runs(), problems };
    return failure({ ...given, saved: await savedRun(given) }, cause);
  };
  const check = async (problems: readonly string[], isLast: boolean): Promise<void> => {
    const all = [...invariants.violations, ...invariants.queues.violations, ...outside.problems, ...problems];
    if (all.length > 0) throw await failed(all);
    const runtimes = cluster.up.map(({ runtime }) => runtime);
    await simulation.check?.({ elapsedMs: cluster.elapsedMs, store, runs: runs(), runtimes, isOver: isLast });
  };
  try {
    for (let atMs = 0; atMs < timeMs; ) {
      atMs = Math.min(atMs + HOUR_MS, timeMs);
      await cluster.advanceTo(atMs);
      await check(await lateRuns(cluster, leaseMs), false);
    }
    strikes.calm();
    await cluster.advanceTo(timeMs + settleMs, isOver);
    outside.problems.push(...outside.waiting);
    const { runtime } = await someProcess(cluster);
    const late = { tenants: outside.scheduling, nowMs: cluster.clock.now(), leaseMs };
    await check([...(await unfinishedRuns(runtime, store, runs())), ...(await lateSchedules(runtime, late))], true);
  } catch (error) {
    if (WorkflowError.is(error, "SIMULATION_FAILED")) throw error;
    throw await failed([String(error)], error);
  } finally {
    for (const process of cluster.processes) process.kill();
    await store.close();
  }
  const { ticks, commits, claims, renewals, recoveriesMs } = invariants;
  const { elapsedMs } = cluster;
  const counted = { elapsedMs, runs: outside.started.size, ticks, commits, claims, renewals, recoveriesMs };
  return { seed, ...counted, struck: strikes.struck, digest: trace.digest };
}

/** A process that is up, as soon as there is one. */
async function someProcess(cluster: Cluster<Process>): Promise<Process> {
  for (;;) {
    const [process] = cluster.up;
    if (process !== undefined) return process;
    await cluster.advanceTo(cluster.elapsedMs + 60_000);
  }
}

interface Failure extends FailedSimulation {
  readonly saved: readonly string[];
}

function failure({ simulation: { seed }, cluster, problems, saved }: Failure, cause?: unknown): WorkflowError {
  const { elapsedMs, trace } = cluster;
  const shown = problems.slice(0, 10);
  const more = problems.length > shown.length ? [`… and ${problems.length - shown.length} more.`] : [];
  return new WorkflowError({
    code: "SIMULATION_FAILED",
    message: [
      `The simulation with seed ${seed} failed at ${formatTime(elapsedMs)}:`,
      ...[...shown, ...more].map((problem) => `  ${problem}`),
      "What happened last:",
      ...trace.last.map((line) => `  ${line}`),
      ...saved,
    ].join("\n"),
    hint: `\`simulate({ seed: ${seed}, … })\` fails at the same time again.`,
    details: { seed, elapsedMs, problems },
    ...(cause !== undefined && { cause }),
  });
}
