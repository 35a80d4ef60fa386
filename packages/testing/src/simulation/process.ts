/**
 * One process of a simulation: a runtime whose clock, timers and requests to the store stop with it.
 *
 * @module
 */
import { type Duration, WorkflowError } from "millrace";
import { type Clock, toMs } from "millrace/engine";
import {
  type ClaimedRun,
  type CommitResult,
  createRuntime,
  type RunCommit,
  type RunKey,
  type RunStore,
  type Runtime,
} from "millrace/runtime";
import type { Cluster } from "./cluster.js";
import type { SimulatedProcess, Simulation } from "./simulation.types.js";

/** How long a request waits for a store that cannot be reached. */
const UNREACHABLE_MS = 1_000;
const SLOWEST_MS = 2_000;

type ClaimedDue = Parameters<RunStore["claimDue"]>[0];
type Method = (...args: readonly unknown[]) => unknown;

export class Process implements SimulatedProcess {
  readonly name: string;
  readonly version: number;
  readonly clock: Clock;
  /** Rejects when the process has ended. */
  readonly end: Promise<never>;
  readonly runtime: Runtime;
  status: "up" | "paused" | "stopping" | "down" = "up";
  /** When it was killed or had stopped. */
  endedAtMs: number | null = null;
  /** How far its clock is ahead of the true time. */
  skewMs = 0;
  /** Until when it does not reach the store. */
  #cutOffUntilMs = 0;
  readonly #cluster: Cluster<Process>;
  /** What happens to a process that stands still, once it continues. */
  #held: (() => void)[] = [];
  readonly #listeners: Set<(key: RunKey | null) => void> = new Set();
  #stopWatching: (() => void)[] = [];
  #ended: (error: Error) => void = () => {};

  constructor(cluster: Cluster<Process>, name: string, simulation: Simulation) {
    this.#cluster = cluster;
    this.name = name;
    this.version = cluster.version;
    this.end = new Promise((_resolve, reject) => {
      this.#ended = reject;
    });
    this.end.catch(() => {}); // the end may not be awaited
    this.clock = {
      now: () => cluster.clock.now() + this.skewMs,
      setTimer: (atMs, wake) => {
        cluster.activity++;
        return cluster.clock.setTimer(atMs - this.skewMs, () => this.#reach(wake));
      },
    };
    this.runtime = createRuntime({
      leaseMs: 60_000,
      ...simulation.runtime,
      workflows: simulation.workflows(this),
      store: this.#seenFromHere(cluster.store),
      clock: this.clock,
      log: { info: () => {}, error: (message) => cluster.trace.add(`${name} logs ${message}`) },
    });
    void this.runtime.start();
  }

  wait(duration: Duration): Promise<void> {
    return new Promise((resolve) => void this.clock.setTimer(this.clock.now() + toMs(duration, "wait"), resolve));
  }

  kill(): void {
    this.status = "down";
    this.endedAtMs ??= this.#cluster.elapsedMs;
    this.#leave();
  }

  pause(): void {
    this.status = "paused";
  }

  continue(): void {
    if (this.status !== "paused") return;
    this.status = "up";
    const held = this.#held;
    this.#held = [];
    for (const happen of held) this.#reach(happen);
  }

  /** Cuts the process off from the store until then. It may have missed any change by then. */
  cutOff(untilMs: number): void {
    this.#cutOffUntilMs = untilMs;
    this.#cluster.at(untilMs, () => this.reconnect());
  }

  reconnect(): void {
    this.#cutOffUntilMs = 0;
    for (const listener of this.#listeners) this.#reach(() => listener(null));
  }

  async stop(): Promise<void> {
    this.status = "stopping";
    await this.runtime.stop();
    if (this.status === "stopping") this.kill();
  }

  /** Applies an event to the process: at once; after its pause; never once it has ended. */
  #reach(happen: () => void): void {
    this.#cluster.activity++;
    if (this.status === "paused") this.#held.push(happen);
    else if (this.status !== "down") happen();
  }

  #leave(): void {
    for (const stop of this.#stopWatching) stop();
    this.#stopWatching = [];
    this.#held = [];
    this.#ended(
      new WorkflowError({ code: "RUNTIME_STOPPED", message: `${this.name} has ended.`, hint: "Ask another process." }),
    );
  }

  #seenFromHere(store: RunStore): RunStore {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = target[name as keyof RunStore];
        // Other processes share it.
        if (name === "isLocal") return false;
        if (name === "close") return async () => {};
        if (typeof member !== "function") return member;
        const method = (member as Method).bind(target);
        if (name === "hash") return method;
        if (name === "watch") return (listener: (key: RunKey | null) => void) => this.#watch(store, listener);
        return (...args: unknown[]) => this.#ask(name as string, args, method);
      },
    });
  }

  #watch(store: RunStore, listener: (key: RunKey | null) => void): () => void {
    const stop = store.watch((key) => {
      if (!this.#isCutOff) this.#reach(() => listener(key));
    });
    this.#listeners.add(listener);
    this.#stopWatching.push(stop);
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  get #isCutOff(): boolean {
    return this.#cluster.elapsedMs < this.#cutOffUntilMs;
  }

  #ask(name: string, args: readonly unknown[], method: Method): Promise<unknown> {
    this.#cluster.activity++;
    return new Promise((resolve, reject) => {
      if (this.status === "down") return;
      this.#travel(name, args, method).then(
        (answer) => this.#reach(() => resolve(answer)),
        (error: unknown) => this.#reach(() => reject(error)),
      );
    });
  }

  /** The way to the store and back. */
  async #travel(name: string, args: readonly unknown[], method: Method): Promise<unknown> {
    const { random, elapsedMs, slowUntilMs, lossyUntilMs, invariants } = this.#cluster;
    if (this.#isCutOff) {
      await this.#cluster.wait(UNREACHABLE_MS);
      throw unreachable(this.name, "cannot be reached");
    }
    const loses = elapsedMs < lossyUntilMs ? random.below(20) : -1;
    if (elapsedMs < slowUntilMs) await this.#cluster.wait(random.below(SLOWEST_MS));
    if (loses === 0) throw unreachable(this.name, "did not get the request");
    const answer = await method(...args);
    if (name === "commit") invariants.onCommits(this, args[0] as RunCommit[], answer as CommitResult[]);
    if (name === "renew") invariants.renewals++;
    if (name === "claim" && answer !== null)
      invariants.onClaimed(this, [answer as ClaimedRun], this.#cluster.elapsedMs);
    if (name === "claimDue") invariants.onClaimed(this, answer as ClaimedRun[], this.#cluster.elapsedMs);
    if (name === "claimDue") await invariants.queues.onClaimed(args[0] as ClaimedDue, answer as ClaimedRun[]);
    if (loses === 1) throw unreachable(this.name, "has lost its answer");
    return answer;
  }
}

function unreachable(process: string, what: string): WorkflowError {
  return new WorkflowError({
    code: "STORE_FAILED",
    message: `The store of ${process} ${what}.`,
    hint: "The simulation makes this fault on purpose: no action is needed.",
  });
}
