/**
 * Those who use a cluster from outside: each request goes to any process that is there, until one answers it.
 *
 * @module
 */
import { type Duration, type Receipt, type StreamedEvent, WorkflowError, type WorkflowEvent } from "millrace";
import { toMs } from "millrace/engine";
import type { RunHandle, RuntimeRunOptions, ScheduleOptions } from "millrace/runtime";
import { createRandom, type Random } from "../harness/random.js";
import type { Cluster } from "./cluster.js";
import type { Process } from "./process.js";
import { idOf } from "./queue-watch.js";
import type { Caller, SimulatedRun, Simulation, StartedRun } from "./simulation.types.js";

const AGAIN_MS = 5_000;
/** What a request fails with when its process or its store does. */
const passing: ReadonlySet<string> = new Set(["RUNTIME_STOPPED", "STORE_FAILED", "STORE_BUSY"]);

export class OneCaller implements Caller {
  readonly random: Random;
  /** What it awaits now, for whoever asks why it does not end. */
  waitsFor = "itself";
  readonly #cluster: Cluster<Process>;
  readonly #known: Known;

  constructor(cluster: Cluster<Process>, random: Random, known: Known) {
    this.#cluster = cluster;
    this.random = random;
    this.#known = known;
  }

  now(): number {
    return this.#cluster.clock.now();
  }

  wait(duration: Duration): Promise<void> {
    return this.#cluster.wait(toMs(duration, "wait"));
  }

  async start(
    workflow: string,
    input: unknown,
    options: RuntimeRunOptions & { readonly runId: string },
  ): Promise<SimulatedRun> {
    const { runId, tenant = "" } = options;
    const start = ({ runtime }: Process): Promise<void> =>
      runtime.run(workflow, input as Record<string, unknown>, options).accepted;
    await this.#ask(`the start of "${runId}"`, start);
    this.#cluster.trace.add(`caller started ${runId}`);
    this.#known.started.set(idOf({ tenant, runId }), { runId, tenant });
    const handle = ({ runtime }: Process): RunHandle => runtime.handle(runId, { tenant });
    const ask = <Answer>(what: string, request: (handle: RunHandle) => Promise<Answer>): Promise<Answer> =>
      this.#ask(`${what} "${runId}"`, (process) => request(handle(process)));
    return {
      runId,
      send: (event: WorkflowEvent, key) =>
        ask(`the receipt of ${event.type} from`, (run): Promise<Receipt> => run.sendEvent(event as never, { key })),
      answer: (promptId, fields, key) =>
        ask("the receipt of an answer from", (run) => run.answer(promptId, fields, { key })),
      prompts: () => ask("the prompts of", (run) => run.prompts()),
      cancel: (reason, key) => ask("the end of", (run) => run.cancel(reason, { key })),
      result: () => ask("the result of", async (run) => run.then((result) => result)),
      events: () => this.#events(`the events of "${runId}"`, handle),
    };
  }

  async setSchedule(name: string, options: ScheduleOptions): Promise<void> {
    const set = async ({ runtime }: Process): Promise<void> => {
      await runtime.schedules.set(name, options as never);
    };
    await this.#ask(`the schedule "${name}"`, set);
    this.#cluster.trace.add(`caller set schedule ${name}`);
    this.#known.scheduling.add(options.tenant ?? "");
  }

  async *#events(what: string, handle: (process: Process) => RunHandle): AsyncGenerator<StreamedEvent, void> {
    let after: number | undefined;
    for (;;) {
      const process = await this.#anyProcess();
      const events = handle(process)
        .streamEvents(after === undefined ? {} : { after })
        [Symbol.asyncIterator]();
      for (;;) {
        this.waitsFor = `${what} from ${process.name}`;
        const next = await answered(process, events.next());
        if (next === null) break;
        if (next.value.done === true) return;
        yield next.value.value;
        after = next.value.value.sequence;
      }
      await this.#cluster.wait(AGAIN_MS);
    }
  }

  async #ask<Answer>(what: string, request: (process: Process) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const process = await this.#anyProcess();
      this.waitsFor = `${what} from ${process.name}`;
      const got = await answered(
        process,
        settled(() => request(process)),
      );
      this.waitsFor = "itself";
      if (got !== null) return got.value;
      await this.#cluster.wait(AGAIN_MS);
    }
  }

  async #anyProcess(): Promise<Process> {
    for (;;) {
      const { up } = this.#cluster;
      if (up.length > 0) return up[this.random.below(up.length)] as Process;
      await this.#cluster.wait(AGAIN_MS);
    }
  }
}

/** What callers have brought about. */
export interface Known {
  readonly started: Map<string, StartedRun>;
  /** Tenants with schedules. */
  readonly scheduling: Set<string>;
}

/** The result of a call as a promise, also if the call throws. */
async function settled<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  return call();
}

/** Null: the process has ended, or has lost its store, before it answered. */
async function answered<Answer>(process: Process, answer: Promise<Answer>): Promise<{ readonly value: Answer } | null> {
  try {
    return { value: await Promise.race([answer, process.end]) };
  } catch (error) {
    answer.catch(() => {}); // an answer of a process that has ended
    if (WorkflowError.is(error) && passing.has(error.code)) return null;
    throw error;
  }
}

/** Callers of a simulation begin together at so many times at most: time that passes costs more than what happens in it. */
const MOST_TIMES = 1_000;

/** All callers of a simulation. */
export class Callers implements Known {
  readonly problems: string[] = [];
  readonly started: Map<string, StartedRun> = new Map();
  readonly scheduling: Set<string> = new Set();
  left = 0;
  readonly #atWork: Map<number, OneCaller> = new Map();
  readonly #cluster: Cluster<Process>;
  readonly #call: Simulation["call"];

  constructor(cluster: Cluster<Process>, call: Simulation["call"]) {
    this.#cluster = cluster;
    this.#call = call;
  }

  /** Plans when each of them begins: spread evenly. */
  plan(count: number, timeMs: number): void {
    this.left = count;
    const times = Math.min(count, MOST_TIMES);
    const perTime = count / times;
    for (let time = 0; time < times; time++)
      this.#cluster.at(Math.floor((time * timeMs) / times), () => {
        for (let number = Math.round(time * perTime); number < Math.round((time + 1) * perTime); number++)
          void this.#begin(number);
      });
  }

  get isOver(): boolean {
    return this.left === 0;
  }

  async #begin(number: number): Promise<void> {
    const caller = new OneCaller(this.#cluster, createRandom(this.#cluster.random.below(2 ** 31)), this);
    this.#atWork.set(number, caller);
    try {
      await this.#call(caller, number);
    } catch (error) {
      this.problems.push(
        `Caller ${number}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    this.#atWork.delete(number);
    this.left--;
  }

  /** One line for each that has not ended. */
  get waiting(): string[] {
    return [...this.#atWork].map(([number, { waitsFor }]) => `Caller ${number} still waits for ${waitsFor}.`);
  }
}
