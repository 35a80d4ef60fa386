import type { Duration, PendingPrompt, Receipt, StreamedEvent, WorkflowEvent } from "millrace";
import type { Clock } from "millrace/engine";
import type {
  RunStore,
  Runtime,
  RuntimeOptions,
  RuntimeRunOptions,
  ScheduleOptions,
  Workflows,
} from "millrace/runtime";
import type { Random } from "../harness/random.js";
import type { SaveRun } from "../harness/run-recording.types.js";

/** A cluster of processes over one store, the callers that use it, and the faults that strike it. */
export interface Simulation<Flows extends Workflows = Workflows> {
  /** Determines the faults, their order and their times. */
  readonly seed: number;
  /** Makes the workflows, as each process does when it starts. */
  workflows(process: SimulatedProcess): Flows;
  /** One caller, from 0 to `callers` - 1. It may start runs, send, wait and read; what it throws fails the simulation. */
  call(caller: Caller, number: number): Promise<void>;
  /** @default 100 */
  readonly callers?: number;
  /** @default 3 */
  readonly processes?: number;
  /** Simulated time in which callers begin and faults strike. @default "1d" */
  readonly time?: Duration;
  /** Simulated time without faults, afterwards, in which every caller and every run must end. @default "2h" */
  readonly settle?: Duration;
  /** How often each fault strikes the cluster, per simulated hour. @default {@link Faults} */
  readonly faults?: Partial<Faults>;
  /** Opens the store that all processes share. @default a store in memory that forgets nothing */
  store?(): RunStore | Promise<RunStore>;
  /** Options of each runtime. `leaseMs` is 60,000 by default. */
  readonly runtime?: SimulatedRuntimeOptions;
  /** Called after each simulated hour and at the end. What it throws fails the simulation. */
  check?(cluster: ClusterView): void | Promise<void>;
  /**
   * Keeps the first run that a problem names, or else the run that a caller started last, and adds to the message of the failure.
   * @default the runs are lost
   */
  readonly saveRun?: SaveRun;
}

/** Options of `createRuntime`, except those that the simulation sets. */
export type SimulatedRuntimeOptions = Omit<RuntimeOptions<Workflows>, "workflows" | "store" | "clock" | "log">;

/** Mean number of strikes per simulated hour, over the whole cluster. 0 turns a fault off. */
export interface Faults {
  /** A process is killed, and comes back within two minutes. @default 2 */
  readonly kills: number;
  /** A process is stopped as a deployment does it (`runtime.stop()`), and comes back within two minutes. @default 1 */
  readonly stops: number;
  /** A process stands still for longer than its lease, and then continues as if nothing had happened. @default 1 */
  readonly pauses: number;
  /** For up to five minutes one process does not reach the store. @default 1 */
  readonly partitions: number;
  /** For up to five minutes every answer of the store lasts up to two seconds. @default 1 */
  readonly slowStores: number;
  /** For up to five minutes one in ten requests to the store is lost, or its answer is. @default 1 */
  readonly lostAnswers: number;
  /** The clock of a process is set, by up to half of the lease away from the true time. @default 1 */
  readonly clockChanges: number;
  /** New code goes to every process, one after the other. {@link SimulatedProcess.version} counts them. @default 0.1 */
  readonly deployments: number;
}

/** A process of the cluster, from its start to its end. */
export interface SimulatedProcess {
  /** `"process 3"`. A process that was started again keeps its name. */
  readonly name: string;
  /** Version of its code: 1, and one more after each deployment. */
  readonly version: number;
  /** Its clock, which need not show the true time. */
  readonly clock: Clock;
  /** Takes simulated time, as I/O does. Never resolves when the process dies. */
  wait(duration: Duration): Promise<void>;
}

/** A client of the cluster. Each request goes to any process that is up, and is retried until it is answered. */
export interface Caller {
  readonly random: Random;
  /** True time, in epoch milliseconds. */
  now(): number;
  wait(duration: Duration): Promise<void>;
  /** Starts a run, and resolves when it is stored. */
  start(
    workflow: string,
    input: unknown,
    options: RuntimeRunOptions & { readonly runId: string },
  ): Promise<SimulatedRun>;
  /** Sets a schedule of the cluster, and resolves when it is stored. */
  setSchedule(name: string, options: ScheduleOptions): Promise<void>;
}

/** A run, as a caller sees it. */
export interface SimulatedRun {
  readonly runId: string;
  /** @param key The message counts once, however often it is sent. */
  send(event: WorkflowEvent, key: string): Promise<Receipt>;
  answer(promptId: string, fields: object, key: string): Promise<Receipt>;
  prompts(): Promise<readonly PendingPrompt[]>;
  cancel(reason: unknown, key: string): Promise<Receipt>;
  /** The result, from whichever process has it. Throws the error of a failed run. */
  result(): Promise<unknown>;
  /** All events of the run, without gaps, over the end of the process that they are read from. */
  events(): AsyncIterable<StreamedEvent>;
}

/** The cluster, for your own checks. */
export interface ClusterView {
  /** True time since the start, in milliseconds. */
  readonly elapsedMs: number;
  readonly store: RunStore;
  /** Runs that callers have started. */
  readonly runs: readonly StartedRun[];
  /** Runtimes of the processes that are up. */
  readonly runtimes: readonly Runtime[];
  /** `true` for the last check: callers and runs have ended. */
  readonly isOver: boolean;
}

export interface StartedRun {
  readonly runId: string;
  readonly tenant: string;
}

export interface SimulationReport {
  readonly seed: number;
  /** Simulated time, with that in which the last runs ended. */
  readonly elapsedMs: number;
  /** Runs that callers have started. All have ended. */
  readonly runs: number;
  readonly ticks: number;
  readonly commits: number;
  /** How often a process has claimed a run. A process that starts a run holds it without a claim. */
  readonly claims: number;
  /** How often a process has renewed the leases of all its runs. */
  readonly renewals: number;
  /** For each run of a process that had ended: simulated milliseconds from that end to the claim. */
  readonly recoveriesMs: readonly number[];
  /** How often each fault has struck. */
  readonly struck: Readonly<Record<keyof Faults, number>>;
  /** Digest of all that happened, in order: equal for two simulations with the same course. */
  readonly digest: string;
}
