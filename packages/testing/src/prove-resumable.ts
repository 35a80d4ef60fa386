/**
 * Crashes a run at everything that happens to it, and compares how it ends then with how it ends undisturbed.
 *
 * @module
 */
import { type ResourceOverride, type ResultOf, type StateOf, Workflow, WorkflowError } from "millrace";
import { describeDifference } from "./describe-value.js";
import { TIMEOUT_TURNS } from "./drive.js";
import { describeEnding, type Ending } from "./ending.js";
import type { OutsideOptions } from "./outside.js";
import type { InputArguments } from "./run-to-end.js";
import type { Guide } from "./seeded-scheduler.js";
import { alone } from "./stage.js";
import {
  type Crash,
  type CrashSource,
  type Interrupted,
  runInterrupted,
  runUninterrupted,
  type TrialOptions,
  type Uninterrupted,
  type World,
} from "./trial.js";

export interface ProveOptions<Result = unknown, State = unknown> extends OutsideOptions {
  /**
   * Each permutes concurrent work in its own way, and the run is crashed at every tick of it; a seed that changes nothing is
   * not tried twice. The endings of all of them count as right. Integers. @default [1, 2, 3, 4, 5]
   */
  readonly seeds?: readonly number[];
  /** Only crash when this many ticks are stored: to look into a failure. @default at every tick */
  readonly at?: number;
  /** Whether a resumed run may end as it did, where an uninterrupted one ended as `expected`. @default everything is equal */
  readonly compare?: (expected: Ending<Result, State>, actual: Ending<Result, State>) => boolean;
  /** Stand-ins: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** See `runToEnd`. @default 2000 */
  readonly timeoutTurns?: number;
}

export interface Proof {
  /** Ticks of the longest uninterrupted run, children included. */
  readonly ticks: number;
  /** How often a run was crashed and gone on with. */
  readonly crashes: number;
  readonly seeds: readonly number[];
}

/** A workflow; a function that makes one, as each process does; or a function that makes a world for each try. */
export type Provable<Flow extends Workflow> = Flow | (() => Flow | World<Flow>);

/**
 * Proves that a run which crashes at any moment goes on to an end that it could have reached without the crash.
 *
 * Runs the workflow undisturbed under each seed. Then again for each tick: the process is as good as gone when that tick would be
 * stored, with everything done that the ticks before it caused; another context goes on with what was stored, from the ticks
 * and, where it differs, from the snapshot. What a step did outside `ctx` happens again, what it did through `ctx` counts once.
 * Compared are the outcome with its result, the state, how often each `ctx.run` was recorded, and what `observe` shows.
 *
 * Give a function: each process then has a workflow of its own, and what one of them kept in its fields is lost in the crash.
 *
 * @example
 * await proveResumable(() => new RefundFlow(), { order: "A-17" }, { answers: { ApproveRefund: { approved: true } } });
 * @throws {WorkflowError} `RESUME_DIVERGED` with the tick, the step at work, the seed, and both endings. `RUN_STUCK` when the
 * undisturbed run waits for what nobody sends.
 */
export function proveResumable<Flow extends Workflow>(
  workflow: Provable<Flow>,
  ...[input, options = {}]: InputArguments<Flow, ProveOptions<ResultOf<Flow>, StateOf<Flow>>>
): Promise<Proof> {
  return alone(async () => new Prover(worldsOf(workflow), input, options as ProveOptions).prove());
}

function worldsOf(workflow: Provable<Workflow>): () => World {
  if (typeof workflow !== "function") return () => ({ create: () => workflow });
  return () => {
    const made = workflow();
    if (!(made instanceof (Workflow as unknown as abstract new () => Workflow))) return made as World;
    let isFirst = true;
    return {
      create() {
        if (!isFirst) return workflow() as Workflow;
        isFirst = false;
        return made as Workflow;
      },
    };
  };
}

/** Further undisturbed runs that are looked at, when an ending is in doubt and order is known to matter. */
const MORE_SEEDS = 20;

class Prover {
  readonly #newWorld: () => World;
  readonly #input: unknown;
  readonly #options: ProveOptions;
  readonly #seeds: readonly number[];
  /** Endings of undisturbed runs, by how they read. */
  readonly #endings: Map<string, Ending> = new Map();
  #crashes = 0;

  constructor(newWorld: () => World, input: unknown, options: ProveOptions) {
    this.#newWorld = newWorld;
    this.#input = input;
    this.#options = options;
    this.#seeds = options.seeds ?? [1, 2, 3, 4, 5];
    if (this.#seeds.length === 0)
      throw new WorkflowError({
        code: "OPTION_INVALID",
        message: "`seeds` is empty: no run would be made, and nothing proven.",
        hint: "Leave it out, or give at least one integer.",
        details: { option: "seeds" },
      });
  }

  async prove(): Promise<Proof> {
    const courses = new Map<string, { readonly seed: number; readonly run: Uninterrupted }>();
    for (const seed of this.#seeds) {
      const run = await this.#undisturbed(seed);
      const course = run.course.join("\n");
      if (!courses.has(course)) courses.set(course, { seed, run });
    }
    for (const { seed, run } of courses.values()) await this.#crashEverywhere(seed, run);
    const ticks = Math.max(...[...courses.values()].map(({ run }) => run.course.length));
    if (this.#crashes === 0) throw nothingToCrash(this.#options.at, ticks);
    return { ticks, crashes: this.#crashes, seeds: this.#seeds };
  }

  async #undisturbed(seed: number, guide: Guide | null = null): Promise<Uninterrupted> {
    const run = await runUninterrupted(this.#newWorld(), this.#trial(seed), guide);
    const text = describeEnding(run.ending);
    if (!this.#endings.has(text)) this.#endings.set(text, run.ending);
    return run;
  }

  #trial(seed: number): TrialOptions {
    const { answers, events, resources, timeoutTurns = TIMEOUT_TURNS } = this.#options;
    return {
      ...(answers !== undefined && { answers }),
      ...(events !== undefined && { events }),
      ...{ input: this.#input, seed, timeoutTurns, resources },
    };
  }

  /** Before the first tick is stored there is no run to go on with; after the last one it has ended. */
  async #crashEverywhere(seed: number, run: Uninterrupted): Promise<void> {
    const { at } = this.#options;
    const boundaries = run.course.map((_, index) => index).slice(1);
    for (const crashAt of boundaries.filter((stored) => at === undefined || stored === at)) {
      const crash = await this.#crash(seed, run, { crashAt, from: "journal" });
      if (crash !== null && !crash.isSame) await this.#crash(seed, run, { crashAt, from: "snapshot" });
    }
  }

  async #crash(
    seed: number,
    run: Uninterrupted,
    plan: { readonly crashAt: number; readonly from: CrashSource },
  ): Promise<Crash | null> {
    const tried = await runInterrupted(this.#newWorld(), this.#trial(seed), plan);
    if (tried.type !== "ended") this.#crashes++;
    if (tried.type === "failed" || !(await this.#isRight(tried, seed))) throw this.#diverged(seed, run, tried);
    return tried.type === "resumed" ? tried.crash : null;
  }

  async #isRight({ ending, guide }: Exclude<Interrupted, { readonly type: "failed" }>, seed: number): Promise<boolean> {
    if (this.#matches(ending)) return true;
    // Where the order of the work decides about the end: does a run without a crash, in this very order, end so?
    await this.#undisturbed(seed, guide);
    for (let more = 0; more < MORE_SEEDS && this.#endings.size > 1; more++) {
      if (this.#matches(ending)) return true;
      await this.#undisturbed(1000 + more);
    }
    return this.#matches(ending);
  }

  #matches(ending: Ending): boolean {
    const { compare } = this.#options;
    if (compare === undefined) return this.#endings.has(describeEnding(ending));
    return [...this.#endings.values()].some((expected) => compare(expected, ending));
  }

  #diverged(seed: number, { workflow, ending: expected }: Uninterrupted, tried: Interrupted): WorkflowError {
    const crash = tried.type === "ended" ? null : tried.crash;
    const actual =
      tried.type === "failed" ? `the run did not end: ${messageOf(tried.error)}` : describeEnding(tried.ending);
    const wanted = describeEnding(expected);
    const where = crash === null ? "this one ended before its crash" : describeCrash(crash);
    const known = this.#endings.size;
    const others =
      known === 1 ? "All undisturbed runs end alike." : `Undisturbed runs end in ${known} ways, and in none like this.`;
    return new WorkflowError({
      code: "RESUME_DIVERGED",
      message: `A run of "${workflow}" that crashed ends otherwise than one that did not: ${where}, seed ${seed}.\n${describeDifference(wanted, actual)}\n${others}`,
      hint: `Do in \`ctx.run\` what must happen once or gives another answer each time, and keep nothing outside \`ctx.store\`. Again: \`{ seeds: [${seed}], at: ${crash?.stored ?? 0} }\`.`,
      details: {
        ...{ workflow, seed, expected: wanted, actual },
        tick: crash === null ? null : { number: crash.stored + 1, ...crash.lost },
        ...{ atWork: crash?.atWork ?? [], stored: crash?.stored ?? null, from: crash?.from ?? null },
      },
      ...(tried.type === "failed" && { cause: tried.error }),
    });
  }
}

function nothingToCrash(at: number | undefined, ticks: number): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `There is no crash when ${at} ticks are stored: the run has ${ticks}.`,
    hint: `Give \`at\` from 1 to ${ticks - 1}, or leave it out.`,
    details: { option: "at", ticks },
  });
}

function describeCrash({ stored, lost, atWork, from }: Crash): string {
  const of = lost.step === null ? "" : ` of "${lost.step}"`;
  const work =
    atWork.length > 0 ? `with ${atWork.map((step) => `"${step}"`).join(", ")} at work` : "with no step at work";
  return `after tick ${stored}, before tick ${stored + 1} (${lost.type}${of}) was stored, ${work}, resumed from the ${from}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
