/**
 * All orders of one run: of its parallel steps, calls, answers and timers, and a crash at each of its ticks.
 *
 * @module
 */
import { type ResourceOverride, type ResultOf, type StateOf, type Workflow, WorkflowError } from "millrace";
import { callable, compileWorkflow, flag, type Rules, valueRule, wholeNumber } from "millrace/engine";
import { checkOptions, lifeRules } from "../check-options.js";
import { TIMEOUT_TURNS } from "../harness/drive.js";
import { alone, removeHarness } from "../harness/harness.js";
import type { OutsideOptions } from "../harness/responder.js";
import type { SaveRun } from "../harness/run-recording.types.js";
import { RUN_ID } from "../harness/run-segment.js";
import type { InputArguments } from "../harness/run-to-end.js";
import type { World } from "../proof/crash-run.js";
import { describeEnding, type Ending } from "../proof/ending.js";
import { type Provable, proveCrashes, worldsOf } from "../proof/prove-resumable.js";
import { ReplayedRun } from "../proof/replayed-run.js";
import { type Finding, Findings } from "./findings.js";
import { searchOrders } from "./orders.js";
import { type PlaySetup, play } from "./play.js";
import type { Choose, Played } from "./play.types.js";

/** Options of `exploreRuns`. */
export interface ExploreOptions extends OutsideOptions {
  /** How many decisions of an order are tried otherwise, from its beginning. Integer, at least 0. @default 1000 */
  readonly depth?: number;
  /** How many orders are played at most. Integer, at least 1. @default 10000 */
  readonly orders?: number;
  /** Plays this one order only, as `schedule` of a finding names it, and the first one to compare it with. @default all */
  readonly schedule?: string;
  /** Crashes the run at each of its ticks, too. @default true, and false with `schedule` */
  readonly crashes?: boolean;
  /** Replacements of resources: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** Like the option of `runToEnd`. @default 2000 */
  readonly timeoutTurns?: number;
  /**
   * Keeps a run in the shortest of the orders that show a race, or the crashed run, and adds to the message of that finding.
   * @default the run is lost
   */
  readonly saveRun?: SaveRun;
}

/** Result of `exploreRuns`. */
export interface Exploration<Result = unknown, State = unknown> {
  /** How many orders were played; equal orders count once. */
  readonly orders: number;
  /** `true`: no order is left that is not equal to one of these. `false`: `orders` or `depth` were too few. */
  readonly isComplete: boolean;
  /** How often the run was crashed. */
  readonly crashes: number;
  /** How the run may end, without a crash; the first is that of the first order. */
  readonly endings: readonly Ending<Result, State>[];
  /** Empty: no order has shown a race. */
  readonly findings: readonly Finding[];
}

/**
 * Plays a run in all orders that its calls may come in, and reports updates that are lost, events from outside that nobody takes, and
 * endings that depend on the order. Of orders that are equal, because their parts touch different things, one is played.
 *
 * A part is what an attempt does from one call of `ctx` to the next; so reads and writes of the state, calls of `ctx.run`, reports of
 * steps, events and answers from outside, and timers are put into every order. Code between two calls is not: what steps share outside
 * of `ctx.store` is seen only if the endings differ. Two calls of `ctx.run` count as dependent when they have one key.
 *
 * @example
 * const { findings } = await exploreRuns(() => new RefundFlow(), { order: "A-17" });
 * expect(findings).toEqual([]);
 * @throws {WorkflowError} `OPTION_INVALID`, also for a `schedule` that is not one of this workflow.
 */
export function exploreRuns<Flow extends Workflow>(
  workflow: Provable<Flow>,
  ...[input, options = {}]: InputArguments<Flow, ExploreOptions>
): Promise<Exploration<ResultOf<Flow>, StateOf<Flow>>> {
  return alone(async () => {
    checkOptions("exploreRuns", options, known);
    return new Exploring(worldsOf("exploreRuns", workflow, known), input, options).explore();
  }) as never;
}

const known: Rules<ExploreOptions> = {
  ...lifeRules,
  depth: wholeNumber(0),
  orders: wholeNumber(1),
  schedule: valueRule(
    (schedule) => typeof schedule === "string" && /^(\d+(\.\d+)*)?$/.test(schedule),
    'a schedule of a finding, such as "0.0.1"',
  ),
  crashes: flag,
  saveRun: callable,
};

class Exploring {
  readonly #newWorld: () => World;
  readonly #input: unknown;
  readonly #options: ExploreOptions;
  readonly #findings = new Findings();
  /** By their descriptions. */
  readonly #endings: Map<string, Ending> = new Map();

  constructor(newWorld: () => World, input: unknown, options: ExploreOptions) {
    this.#newWorld = newWorld;
    this.#input = input;
    this.#options = options;
  }

  async explore(): Promise<Exploration> {
    const { depth = 1_000, orders = 10_000, schedule, crashes = schedule === undefined } = this.#options;
    const found = (played: Played): boolean => this.#take(played);
    const searched =
      schedule === undefined
        ? await searchOrders({ play: (choose) => this.#play(choose), found, depth, orders })
        : await this.#replay(schedule);
    await this.#save();
    return {
      orders: searched.orders,
      isComplete: searched.isAll,
      crashes: crashes ? await this.#crash() : 0,
      endings: [...this.#endings.values()],
      findings: this.#findings.all,
    };
  }

  #take(played: Played): false {
    this.#findings.take(played);
    if (played.ending !== null && !this.#endings.has(played.text)) this.#endings.set(played.text, played.ending);
    return false;
  }

  async #play(choose: Choose, record?: (workflow: Workflow) => PlaySetup["onTick"]): Promise<Played> {
    const { answers, events, resources, timeoutTurns = TIMEOUT_TURNS } = this.#options;
    const { create, observe } = this.#newWorld();
    const workflow = create();
    const onTick = record?.(workflow);
    const outside = { ...(answers !== undefined && { answers }), ...(events !== undefined && { events }) };
    const more = { ...outside, ...(onTick !== undefined && { onTick }) };
    try {
      return await play({ ...more, workflow, input: this.#input, observe, resources, timeoutTurns }, choose);
    } finally {
      await removeHarness(workflow);
    }
  }

  async #replay(schedule: string): Promise<{ orders: number; isAll: boolean }> {
    this.#take(await this.#play(() => 0));
    const choices = choicesOf(schedule);
    let isKnown = true;
    const played = await this.#play((possible, depth) => {
      const choice = choices[depth] ?? 0;
      isKnown &&= choice < possible.length;
      return isKnown ? choice : null;
    });
    if (!isKnown || played.happened.length < choices.length) throw scheduleUnknown(schedule);
    this.#take(played);
    return { orders: 2, isAll: false };
  }

  /** Plays the shortest order of all findings once more, with a journal. */
  async #save(): Promise<void> {
    const { saveRun } = this.#options;
    const { shortest } = this.#findings;
    if (saveRun === undefined || shortest?.schedule == null) return;
    const choices = choicesOf(shortest.schedule);
    const recorded: { run: ReplayedRun; workflow: Workflow }[] = [];
    await this.#play(
      (_possible, depth) => choices[depth] ?? 0,
      (workflow) => {
        const run = new ReplayedRun(compileWorkflow(workflow), RUN_ID);
        recorded.push({ run, workflow });
        return (runId, tick) => run.store(runId, tick);
      },
    );
    for (const { run, workflow } of recorded) this.#findings.say(shortest, await saveRun(run.recording, workflow));
  }

  /** A run that crashes may end as any order does without a crash. */
  async #crash(): Promise<number> {
    const { answers, events, resources, timeoutTurns, saveRun } = this.#options;
    const outside = { ...(answers !== undefined && { answers }), ...(events !== undefined && { events }) };
    const more = {
      ...(resources !== undefined && { resources }),
      ...(timeoutTurns !== undefined && { timeoutTurns }),
      ...(saveRun !== undefined && this.#findings.shortest === null && { saveRun }),
    };
    const known = new Set([...this.#endings.values()].map((ending) => describeEnding(ending, [])));
    const compare = (expected: Ending, actual: Ending): boolean =>
      known.has(describeEnding(actual, [])) || describeEnding(expected, []) === describeEnding(actual, []);
    try {
      const { crashes } = await proveCrashes(this.#newWorld, this.#input, { ...outside, ...more, seeds: [1], compare });
      return crashes;
    } catch (error) {
      if (WorkflowError.is(error, "RUN_STUCK") && this.#findings.isStuck) return 0;
      if (!WorkflowError.is(error, "RESUME_DIVERGED")) throw error;
      this.#findings.crash(`${error.message}\n${error.hint}`);
      return Number(error.details["crashes"] ?? 1);
    }
  }
}

function choicesOf(schedule: string): readonly number[] {
  return schedule === "" ? [] : schedule.split(".").map(Number);
}

function scheduleUnknown(schedule: string): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`schedule\` is ${JSON.stringify(schedule)}, which is no order of this run.`,
    hint: "The code, the input or the events have changed since: explore all orders again.",
    details: { option: "schedule" },
  });
}
