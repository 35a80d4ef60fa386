/**
 * One run in a world of its own, with or without a crash in it.
 *
 * @module
 */
import { type ContextDict, type ResourceOverride, type Workflow, WorkflowError } from "millrace";
import { compileWorkflow } from "millrace/engine";
import { drive, standStill } from "./drive.js";
import { type Ending, effectsIn } from "./ending.js";
import { begin, type Beginning, type Life, RUN_ID } from "./life.js";
import { Outside, type OutsideOptions } from "./outside.js";
import { Recording, type StoredTick } from "./recording.js";
import type { Guide } from "./seeded-scheduler.js";
import { Shadow } from "./shadow.js";
import { clearStage } from "./stage.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

/** A world in which a workflow runs, crashes and goes on. */
export interface World<Flow extends Workflow = Workflow> {
  /** Makes the workflow as a new process would. Called at the start, and again after the crash. */
  readonly create: () => Flow;
  /** What is to be seen in the world when the run has ended: compared too. */
  readonly observe?: () => unknown;
}

export interface TrialOptions extends OutsideOptions {
  readonly input: unknown;
  readonly seed: number;
  readonly timeoutTurns: number;
  readonly resources: readonly ResourceOverride[] | undefined;
}

export interface Uninterrupted {
  readonly workflow: string;
  readonly ending: Ending;
  /** What happened, without times: the same for two runs that went the same way. */
  readonly course: readonly string[];
}

/** Where a run crashed. */
export interface Crash {
  /** Ticks that were stored. */
  readonly stored: number;
  /** The first one that was not, and the step it came from. */
  readonly lost: { readonly type: string; readonly workflow: string; readonly step: string | null };
  /** Attempts under way: `"charge"`. */
  readonly atWork: readonly string[];
  readonly from: CrashSource;
  /** The live snapshot and the stored ticks give the same: one of them is enough. */
  readonly isSame: boolean;
}
export type CrashSource = "journal" | "snapshot";

export type Interrupted =
  /** The run took another way, and ended before it came that far. */
  | { readonly type: "ended"; readonly ending: Ending; readonly guide: Guide }
  | { readonly type: "resumed"; readonly crash: Crash; readonly ending: Ending; readonly guide: Guide }
  /** It did not go on to any end. */
  | { readonly type: "failed"; readonly crash: Crash; readonly error: unknown };

const silent = { info() {}, error() {} };

/** @param guide Work reports in this order, instead of that of the seed. */
export async function runUninterrupted(
  world: World,
  options: TrialOptions,
  guide: Guide | null = null,
): Promise<Uninterrupted> {
  const workflow = world.create();
  const outside = new Outside(options);
  const shadow = new Shadow(compileWorkflow(workflow), RUN_ID);
  const recording = new Recording({
    onStored({ runId, tick }) {
      shadow.store(runId, tick);
      outside.onStored(tick);
    },
  });
  try {
    const setup = { workflow, clock: virtualClock(), recording, seed: options.seed, guide, log: silent };
    const life = begin(setup, firstBeginning(options));
    const ending = (await live(world, life, { outside, options, before: [] })) as Ending;
    return { workflow: life.workflow, ending, course: recording.ticks.map(courseOf) };
  } finally {
    await clearStage(workflow);
  }
}

function firstBeginning({ input, resources }: TrialOptions): Beginning {
  return { type: "input", input, resources };
}

function courseOf({ runId, tick }: StoredTick): string {
  const { item = "", attempt = "", call = "" } = tick as unknown as Record<string, unknown>;
  return `${runId} ${tick.type} ${item}.${attempt} ${call}`;
}

/** The order in which work reported, so that a run without a crash can do the same. */
function guideOf(ticks: readonly StoredTick[]): Guide {
  return ticks.flatMap(({ runId, tick }) =>
    tick.type === "step.completed" || tick.type === "step.failed" || tick.type === "step.yielded"
      ? [`${runId} ${tick.item}`]
      : [],
  );
}

interface LiveSetup {
  readonly outside: Outside;
  readonly options: TrialOptions;
  /** What was stored in the life before. */
  readonly before: readonly StoredTick[];
}

/** @returns null when it crashed */
async function live(world: World, life: Life, { outside, options, before }: LiveSetup): Promise<Ending | null> {
  const outcome = await drive(life, outside, options.timeoutTurns);
  if (outcome === null) return null;
  return {
    outcome,
    result: outcome.status === "completed" ? outcome.result : undefined,
    state: await life.handler.context.store.getState(),
    effects: effectsIn([...before, ...life.recording.ticks]),
    observed: world.observe?.(),
  };
}

export interface CrashPlan {
  /** The crash comes when this many ticks are stored. */
  readonly crashAt: number;
  readonly from: CrashSource;
}

/** Runs until the crash, and goes on from what is left of it, in a new context of a new workflow. */
export async function runInterrupted(world: World, options: TrialOptions, plan: CrashPlan): Promise<Interrupted> {
  const outside = new Outside(options);
  const clock = virtualClock();
  const first = world.create();
  const crash = new CrashSite(first, outside, plan);
  let second: Workflow | null = null;
  try {
    const setup = { workflow: first, clock, recording: crash.recording, seed: options.seed, log: silent };
    const life = begin(setup, firstBeginning(options));
    crash.life = life;
    const ending = await live(world, life, { outside, options, before: [] });
    if (ending !== null) return { type: "ended", ending, guide: guideOf(crash.recording.ticks) };
    await standStill(life);
    second = world.create();
    return await goOn(world, second, { outside, options, clock, crash });
  } finally {
    crash.recording.release(crashed());
    await clearStage(first);
    if (second !== null && second !== first) await clearStage(second);
  }
}

interface GoOnSetup {
  readonly outside: Outside;
  readonly options: TrialOptions;
  readonly clock: VirtualClock;
  readonly crash: CrashSite;
}

async function goOn(world: World, workflow: Workflow, setup: GoOnSetup): Promise<Interrupted> {
  const { outside, options, clock, crash: site } = setup;
  const { crash, dict } = site.remains();
  const recording = new Recording({ onStored: ({ tick }) => outside.onStored(tick) });
  try {
    const later = {
      workflow,
      clock: virtualClock(clock.now()),
      recording,
      seed: options.seed + crash.stored,
      log: silent,
    };
    const life = begin(later, { type: "snapshot", dict, resources: options.resources });
    const before = site.recording.ticks;
    const ending = (await live(world, life, { outside, options, before })) as Ending;
    return { type: "resumed", crash, ending, guide: guideOf([...before, ...recording.ticks]) };
  } catch (error) {
    return { type: "failed", crash, error };
  }
}

/** The crash of a run, and what is there afterwards. */
class CrashSite {
  readonly recording: Recording;
  life: Life | null = null;
  readonly #shadow: Shadow;
  readonly #from: CrashSource;
  #found: { readonly crash: Crash; readonly dict: ContextDict } | null = null;

  constructor(workflow: Workflow, outside: Outside, { crashAt, from }: CrashPlan) {
    this.#shadow = new Shadow(compileWorkflow(workflow), RUN_ID);
    this.#from = from;
    this.recording = new Recording({
      crashBefore: (_next, stored) => stored === crashAt,
      onStored: ({ runId, tick }) => {
        this.#shadow.store(runId, tick);
        outside.onStored(tick);
      },
      onCrash: (lost, isFirstOfRound) => this.#onCrash(lost, isFirstOfRound),
    });
  }

  remains(): { readonly crash: Crash; readonly dict: ContextDict } {
    return this.#found as { readonly crash: Crash; readonly dict: ContextDict };
  }

  #onCrash({ runId, tick }: StoredTick, isFirstOfRound: boolean): void {
    const { handler, attempts } = this.life as Life;
    const stored = JSON.stringify(this.#shadow.snapshot());
    // Inside a round the live state is that of its beginning: only the ticks know where it was cut.
    const shown = isFirstOfRound ? JSON.stringify(handler.context.toDict()) : stored;
    const step = this.#shadow.stepOf(runId, tick);
    const crash: Crash = {
      stored: this.recording.ticks.length,
      lost: { type: tick.type, workflow: this.#shadow.workflowOf(runId), step },
      // What it has to tell is lost: a step whose end is not stored is still at work.
      atWork: [...new Set([...(step === null ? [] : [step]), ...[...attempts.all].map((seen) => seen.step)])],
      from: this.#from,
      isSame: shown === stored,
    };
    this.#found = { crash, dict: JSON.parse(this.#from === "journal" ? stored : shown) };
  }
}

function crashed(): WorkflowError {
  return new WorkflowError({
    code: "RUN_CANCELLED",
    message: "The run has crashed, as its test wanted.",
    hint: "Nothing has to be done.",
  });
}
