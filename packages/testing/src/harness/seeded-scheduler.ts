/**
 * Makes the order of ready work a function of a seed.
 *
 * Every attempt is held before its first line, before each element of a generator, and after its last line. When no
 * attempt is active, the seed picks some of the held ones and releases them in an order that it picks, too. So the
 * order in which steps begin, and in which concurrent steps report, does not depend on the machine.
 *
 * @module
 */
import type { Middleware } from "millrace";
import { Attempts, type SeenAttempt, throughGenerator } from "./attempts.js";
import { nextTurn, waitTurn } from "./host-turn.js";
import { createRandom, type Random } from "./random.js";

export interface SeededScheduler {
  readonly seed: number;
  /** Middleware for `workflow.use(...)`. Add it first: the first middleware is the outermost. */
  readonly middleware: Middleware;
  /** What was released so far: `"work 3.1 begins"`, with the work item and the attempt. */
  readonly order: readonly string[];
}

/**
 * Makes the order of concurrent steps a function of `seed`.
 *
 * @example
 * const scheduler = seededScheduler(7);
 * await workflow.use(scheduler.middleware).run(input);
 * console.log(scheduler.order);
 */
export function seededScheduler(seed: number): SeededScheduler {
  return new Scheduler(seed);
}

/** Order of reports: `"run 3"` names the run and the work item. */
export type Guide = readonly string[];

interface Held {
  readonly label: string;
  readonly isBeginning: boolean;
  readonly seen: SeenAttempt;
  readonly release: () => void;
}

/** Turns without a sign after which code that awaits only promises has stopped. */
const QUIET_TURNS = 3;
/** Pauses after which a running attempt is no longer waited for, because it may itself wait for a held one. */
const PATIENCE_TURNS = 150;

export class Scheduler implements SeededScheduler {
  readonly seed: number;
  readonly order: string[] = [];
  readonly attempts: Attempts;
  readonly #random: Random;
  readonly #held: Set<Held> = new Set();
  readonly #root: string | null;
  readonly #guide: string[] | null;
  #pumping = false;
  #stopped = false;

  /**
   * @param root Name of the workflow whose steps are listed without its name.
   * @param guide Order in which work reports, as far as possible, instead of the order of the seed.
   */
  constructor(seed: number, root: string | null = null, guide: Guide | null = null) {
    this.#guide = guide === null ? null : [...guide];
    this.seed = seed;
    this.attempts = new Attempts();
    this.#random = createRandom(seed);
    this.#root = root;
  }

  /** `true` while something is held that will be released. */
  get isBusy(): boolean {
    return this.#held.size > 0 && !this.#stopped;
  }

  /** Stops releasing. */
  stop(): void {
    this.#stopped = true;
  }

  readonly middleware: Middleware = async (call, next) => {
    const seen = this.attempts.see(call, this.#root);
    await this.#hold(seen, "begins");
    // Work that was aborted while it was held does not begin.
    if (seen.signal.aborted) {
      this.attempts.over(seen);
      throw seen.signal.reason;
    }
    const end = async (): Promise<void> => {
      await this.#hold(seen, "ends");
      this.attempts.over(seen);
    };
    let output: Awaited<ReturnType<typeof next>>;
    try {
      output = await next();
    } catch (error) {
      await end();
      throw error;
    }
    return throughGenerator(output, { seen, element: () => this.#hold(seen, "yields"), end });
  };

  #hold(seen: SeenAttempt, what: string): Promise<void> {
    const label = `${seen.step} ${seen.item}.${seen.attempt} ${what}`;
    return new Promise((resolve) => {
      const held: Held = {
        label,
        isBeginning: what === "begins",
        seen,
        release: () => {
          this.#held.delete(held);
          seen.held = false;
          this.attempts.changes++;
          this.order.push(label);
          resolve();
        },
      };
      seen.held = true;
      seen.slow = false;
      this.#held.add(held);
      this.attempts.changes++;
      void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.isBusy) {
      await this.#quiet();
      if (!this.#stopped) this.#release();
    }
    this.#pumping = false;
  }

  /** Waits until no attempt runs, or the running ones show no sign for long. */
  async #quiet(): Promise<void> {
    let changes = -1;
    for (let turn = 0, quiet = 0; quiet < QUIET_TURNS && !this.#stopped; turn++) {
      await (quiet > 0 ? nextTurn() : waitTurn(turn));
      if (changes !== this.attempts.changes) [changes, turn, quiet] = [this.attempts.changes, 0, 0];
      const atWork = this.attempts.atWork;
      if (atWork.length === 0) quiet++;
      else if (turn > PATIENCE_TURNS) for (const seen of atWork) seen.slow = true;
    }
  }

  /** Sorts the held attempts first, so that their order of arrival, which depends on the machine, does not matter. */
  #release(): void {
    const held = [...this.#held].sort((one, other) => compare(one.seen, other.seen));
    const some =
      this.#guide === null
        ? this.#random.shuffle(held).slice(0, 1 + this.#random.below(held.length))
        : guided(held, this.#guide);
    for (const { release } of some) release();
  }
}

/** Picks everything that wants to begin, else the next report, which it removes from the guide. */
function guided(held: readonly Held[], guide: string[]): readonly Held[] {
  const beginnings = held.filter(({ isBeginning }) => isBeginning);
  if (beginnings.length > 0) return beginnings;
  const reporting = new Set(held.map(({ seen }) => nameOf(seen)));
  const next = guide.findIndex((name) => reporting.has(name));
  if (next < 0) return held.slice(0, 1);
  const [name] = guide.splice(next, 1);
  return held.filter(({ seen }) => nameOf(seen) === name);
}

function nameOf({ runId, item }: SeenAttempt): string {
  return `${runId} ${item}`;
}

function compare(one: SeenAttempt, other: SeenAttempt): number {
  if (one.runId !== other.runId) return one.runId < other.runId ? -1 : 1;
  return one.item - other.item || one.attempt - other.attempt;
}
