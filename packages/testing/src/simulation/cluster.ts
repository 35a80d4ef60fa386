/**
 * The processes of a simulation, the store that they share, and the true time.
 *
 * @module
 */
import type { RunStore } from "millrace/runtime";
import { nextTurn } from "../harness/host-turn.js";
import type { Random } from "../harness/random.js";
import { type VirtualClock, virtualClock } from "../harness/virtual-clock.js";
import { InvariantChecks } from "./invariant-checks.js";
import { Trace } from "./trace.js";

/** Turns of the event loop without activity after which code that awaits only promises has stopped. */
const QUIET_TURNS = 3;
/** Most rounds at one simulated time: effects of a time may have further effects at that time, but must come to rest. */
const MOST_ROUNDS = 10_000;

/** @typeParam Process What runs in it. */
export class Cluster<Process extends { readonly status: string }> {
  readonly clock: VirtualClock = virtualClock();
  readonly trace: Trace;
  readonly invariants: InvariantChecks;
  readonly random: Random;
  readonly store: RunStore;
  readonly processes: Process[] = [];
  /** Version of the newest deployment. */
  version = 1;
  /** Until when every answer of the store is slow, and until when requests and answers are lost. */
  slowUntilMs = 0;
  lossyUntilMs = 0;
  /** Rises with everything that happens between the processes and the world. */
  activity = 0;
  readonly #startedAtMs: number;

  constructor(store: RunStore, random: Random) {
    this.store = store;
    this.random = random;
    this.#startedAtMs = this.clock.now();
    this.trace = new Trace(() => this.elapsedMs);
    this.invariants = new InvariantChecks(this.trace, store);
  }

  get elapsedMs(): number {
    return this.clock.now() - this.#startedAtMs;
  }

  /** Processes that accept requests. */
  get up(): Process[] {
    return this.processes.filter(({ status }) => status === "up");
  }

  at(elapsedMs: number, act: () => void): void {
    this.clock.setTimer(this.#startedAtMs + elapsedMs, () => {
      this.activity++;
      act();
    });
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.elapsedMs + ms, resolve));
  }

  /** Lets time pass. What is due together fires together, and has its effects before time passes further. */
  async advanceTo(elapsedMs: number, isOver: () => boolean = () => false): Promise<void> {
    let arrived = false;
    this.at(elapsedMs, () => {
      arrived = true;
    });
    let rounds = 0;
    let atMs = this.clock.now();
    await this.#quiet();
    while (!arrived && !isOver()) {
      const { nextAtMs } = this.clock;
      while (this.clock.nextAtMs === nextAtMs) this.clock.jumpToNext();
      await this.#quiet();
      rounds = this.clock.now() === atMs ? rounds + 1 : 0;
      atMs = this.clock.now();
      if (rounds > MOST_ROUNDS)
        throw new Error("Simulated time does not advance: processes keep setting timers that are due at once.");
    }
  }

  async #quiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.activity;
      await nextTurn();
      quiet = before === this.activity ? quiet + 1 : 0;
    }
  }
}
