/**
 * Crashes a run at every tick and compares its end with the end of undisturbed runs.
 *
 * @module
 */
import { type ResourceOverride, type ResultOf, type StateOf, type ValueType, Workflow, WorkflowError } from "millrace";
import { callable, type Rules, unchecked } from "millrace/engine";
import { checkFunctions, checkOptions, checkWorld, lifeRules, seedsRule } from "../check-options.js";
import { TIMEOUT_TURNS } from "../harness/drive.js";
import { alone } from "../harness/harness.js";
import type { OutsideOptions } from "../harness/responder.js";
import type { SaveRun } from "../harness/run-recording.types.js";
import type { InputArguments } from "../harness/run-to-end.js";
import type { Guide } from "../harness/seeded-scheduler.js";
import {
  type Crash,
  type CrashRunOptions,
  type CrashSource,
  type Interrupted,
  runInterrupted,
  runUninterrupted,
  type Uninterrupted,
  type World,
} from "./crash-run.js";
import { describeDifference } from "./describe-value.js";
import { describeEnding, type Ending } from "./ending.js";

export interface ProveOptions<Result = unknown, State = unknown> extends OutsideOptions {
  /**
   * Seeds, as integers. Each permutes concurrent work in its own way, and the run is crashed at each of its ticks; a
   * seed that changes nothing is not tried twice. The endings of all seeds count as right.
   * @default [1, 2, 3, 4, 5]
   */
  readonly seeds?: readonly number[];
  /** Crashes only when this many ticks are stored, in order to look into a failure. @default every tick */
  readonly at?: number;
  /**
   * Returns whether a resumed run may end with `actual`, where an uninterrupted one ended with `expected`.
   * @default deep equality
   */
  readonly compare?: (expected: Ending<Result, State>, actual: Ending<Result, State>) => boolean;
  /** Replacements of resources: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** Like the option of `runToEnd`. @default 2000 */
  readonly timeoutTurns?: number;
  /**
   * Keeps the run as it was stored at the crash after which it ends otherwise, and adds to the message of the failure.
   * @default the run is lost
   */
  readonly saveRun?: SaveRun;
}

/** Result of `proveResumable`. */
export interface Proof {
  /** Ticks of the longest uninterrupted run, children included. */
  readonly ticks: number;
  /** How often a run was crashed and resumed. */
  readonly crashes: number;
  readonly seeds: readonly number[];
}

/** A workflow; a function that makes one, as each process does; or a function that makes a world for each try. */
export type Provable<Flow extends Workflow> = Flow | (() => Flow | World<Flow>);

/**
 * Proves that a run which crashes at any moment resumes to an end that it could have reached without the crash.
 *
 * Runs the workflow undisturbed under each seed, and then once for each tick: the process disappears just before that
 * tick would be stored, after everything that earlier ticks caused. Another context resumes from what was stored: from
 * the ticks and, where it differs, from the snapshot. What a step did outside `ctx` happens again; what it did through
 * `ctx` counts once. Compared are the outcome with its result, the state, how often each `ctx.run` was recorded, and
 * what `observe` returns.
 *
 * Pass a function: each process then has its own workflow, and the fields of a workflow are lost in the crash.
 *
 * @example
 * await proveResumable(() => new RefundFlow(), { order: "A-17" }, { answers: { ApproveRefund: { approved: true } } });
 * @throws {WorkflowError} `RESUME_DIVERGED` with the tick, the step at work, the seed, and both endings. `RUN_STUCK`
 * when the undisturbed run waits for an event that never comes.
 */
export function proveResumable<Flow extends Workflow>(
  workflow: Provable<Flow>,
  ...[input, options = {}]: InputArguments<Flow, ProveOptions<ResultOf<Flow>, StateOf<Flow>>>
): Promise<Proof> {
  return alone(async () => proveCrashes(worldsOf("proveResumable", workflow, known), input, options as ProveOptions));
}

/** The same for whoever runs alone already. */
export function proveCrashes(newWorld: () => World, input: unknown, options: ProveOptions): Promise<Proof> {
  return new Prover(newWorld, input, options).prove();
}

const known: Rules<ProveOptions> = {
  ...lifeRules,
  seeds: seedsRule,
  compare: callable,
  saveRun: callable,
  ...unchecked("at"),
};

/** @param options Names of the options of `caller`, which no world has. */
export function worldsOf(caller: string, workflow: Provable<Workflow>, options: object): () => World {
  if (typeof workflow !== "function") return () => ({ create: () => workflow });
  return () => {
    const made = workflow();
    if (!(made instanceof (Workflow as unknown as abstract new () => Workflow))) {
      checkFunctions(caller, made, ["create"]);
      checkWorld(caller, made, options);
      return made as World;
    }
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

/** Additional undisturbed runs, when an ending is in doubt and the order of work is known to matter. */
const MORE_SEEDS = 20;

class Prover {
  readonly #newWorld: () => World;
  readonly #input: unknown;
  readonly #options: ProveOptions;
  readonly #seeds: readonly number[];
  /** Endings of undisturbed runs, by their description. */
  readonly #endings: Map<string, Ending> = new Map();
  #types: readonly ValueType[] = [];
  #crashes = 0;

  constructor(newWorld: () => World, input: unknown, options: ProveOptions) {
    checkOptions("proveResumable", options, known);
    this.#newWorld = newWorld;
    this.#input = input;
    this.#options = options;
    this.#seeds = options.seeds ?? [1, 2, 3, 4, 5];
    if (this.#seeds.length === 0)
      throw new WorkflowError({
        code: "OPTION_INVALID",
        message: "`seeds` is empty: no run would be made, and nothing proven.",
        hint: "Leave it out, or pass at least one integer.",
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
    this.#types = run.types;
    const text = describeEnding(run.ending, this.#types);
    if (!this.#endings.has(text)) this.#endings.set(text, run.ending);
    return run;
  }

  #trial(seed: number): CrashRunOptions {
    const { answers, events, resources, timeoutTurns = TIMEOUT_TURNS } = this.#options;
    return {
      ...(answers !== undefined && { answers }),
      ...(events !== undefined && { events }),
      ...{ input: this.#input, seed, timeoutTurns, resources },
    };
  }

  /** Crashes neither before the first tick is stored, when there is nothing to resume, nor after the last one. */
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
    if (tried.type === "failed" || !(await this.#isRight(tried, seed))) throw await this.#diverged(seed, run, tried);
    return tried.type === "resumed" ? tried.crash : null;
  }

  async #isRight({ ending, guide }: Exclude<Interrupted, { readonly type: "failed" }>, seed: number): Promise<boolean> {
    if (this.#matches(ending)) return true;
    // When the order of work decides about the end: does a run without a crash, in this very order, end the same?
    await this.#undisturbed(seed, guide);
    for (let more = 0; more < MORE_SEEDS && this.#endings.size > 1; more++) {
      if (this.#matches(ending)) return true;
      await this.#undisturbed(1000 + more);
    }
    return this.#matches(ending);
  }

  #matches(ending: Ending): boolean {
    const { compare } = this.#options;
    if (compare === undefined) return this.#endings.has(describeEnding(ending, this.#types));
    return [...this.#endings.values()].some((expected) => compare(expected, ending));
  }

  async #diverged(
    seed: number,
    { workflow, ending: expected }: Uninterrupted,
    tried: Interrupted,
  ): Promise<WorkflowError> {
    const crash = tried.type === "ended" ? null : tried.crash;
    const actual =
      tried.type === "failed"
        ? `the run did not end: ${messageOf(tried.error)}`
        : describeEnding(tried.ending, this.#types);
    const wanted = describeEnding(expected, this.#types);
    const where = crash === null ? "this one ended before its crash" : describeCrash(crash);
    const saved = crash === null ? "" : await this.#save(crash);
    const known = this.#endings.size;
    const others =
      known === 1 ? "All undisturbed runs end alike." : `Undisturbed runs end in ${known} ways, and in none like this.`;
    return new WorkflowError({
      code: "RESUME_DIVERGED",
      message: `A run of "${workflow}" that crashed ends differently from one that did not: ${where}, seed ${seed}.\n${describeDifference(wanted, actual)}\n${others}${saved}`,
      hint: `Do in \`ctx.run\` what must happen once or differs each time, and keep nothing outside \`ctx.store\`. Again: \`{ seeds: [${seed}], at: ${crash?.stored ?? 0} }\`.`,
      details: {
        ...{ workflow, seed, expected: wanted, actual },
        tick: crash === null ? null : { number: crash.stored + 1, ...crash.lost },
        ...{ atWork: crash?.atWork ?? [], stored: crash?.stored ?? null, from: crash?.from ?? null },
      },
      ...(tried.type === "failed" && { cause: tried.error }),
    });
  }

  async #save({ recording }: Crash): Promise<string> {
    const said = await this.#options.saveRun?.(recording, this.#newWorld().create());
    return said === undefined ? "" : `\n${said}`;
  }
}

function nothingToCrash(at: number | undefined, ticks: number): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `There is no crash when ${at} ticks are stored: the run has ${ticks}.`,
    hint: `Set \`at\` from 1 to ${ticks - 1}, or leave it out.`,
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
