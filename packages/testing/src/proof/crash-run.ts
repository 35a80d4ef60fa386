/**
 * One run in its own world, with or without a crash.
 *
 * @module
 */
import type { ContextDict, ResourceOverride, ValueType, Workflow } from "millrace";
import { compileWorkflow } from "millrace/engine";
import { drive, standStill } from "../harness/drive.js";
import { removeHarness } from "../harness/harness.js";
import { Recording, type StoredTick } from "../harness/recording.js";
import { type OutsideOptions, Responder } from "../harness/responder.js";
import type { RunRecording } from "../harness/run-recording.types.js";
import { type Beginning, begin, RUN_ID, type RunSegment } from "../harness/run-segment.js";
import type { Guide } from "../harness/seeded-scheduler.js";
import { type VirtualClock, virtualClock } from "../harness/virtual-clock.js";
import { type Ending, effectsIn } from "./ending.js";
import { ReplayedRun } from "./replayed-run.js";

/** A world in which a workflow runs, crashes and resumes. */
export interface World<Flow extends Workflow = Workflow> {
  /** Makes the workflow as a new process would. Called at the start, and again after the crash. */
  readonly create: () => Flow;
  /** Returns what is visible in the world after the run has ended; it is compared, too. */
  readonly observe?: () => unknown;
}

export interface CrashRunOptions extends OutsideOptions {
  readonly input: unknown;
  readonly seed: number;
  readonly timeoutTurns: number;
  readonly resources: readonly ResourceOverride[] | undefined;
}

export interface Uninterrupted {
  readonly workflow: string;
  /** Classes that the workflow registers. */
  readonly types: readonly ValueType[];
  readonly ending: Ending;
  /** The ticks without times: equal for two runs that took the same course. */
  readonly course: readonly string[];
}

/** Where a run crashed. */
export interface Crash {
  /** Number of stored ticks. */
  readonly stored: number;
  /** The first tick that was not stored, and the step that it came from. */
  readonly lost: { readonly type: string; readonly workflow: string; readonly step: string | null };
  /** Attempts under way: `"charge"`. */
  readonly atWork: readonly string[];
  readonly from: CrashSource;
  /** `true` when the live snapshot equals the one of the ticks: then only one of them is tried. */
  readonly isSame: boolean;
  /** The run as it was stored. */
  readonly recording: RunRecording;
}
export type CrashSource = "journal" | "snapshot";

export type Interrupted =
  /** The run took another course and ended before the crash. */
  | { readonly type: "ended"; readonly ending: Ending; readonly guide: Guide }
  | { readonly type: "resumed"; readonly crash: Crash; readonly ending: Ending; readonly guide: Guide }
  /** The resumed run did not end. */
  | { readonly type: "failed"; readonly crash: Crash; readonly error: unknown };

const silent = { info() {}, error() {} };

/** @param guide Order in which work reports, instead of the order of the seed. */
export async function runUninterrupted(
  world: World,
  options: CrashRunOptions,
  guide: Guide | null = null,
): Promise<Uninterrupted> {
  const workflow = world.create();
  const responder = new Responder(options);
  const compiled = compileWorkflow(workflow);
  const replayed = new ReplayedRun(compiled, RUN_ID);
  const recording = new Recording({
    onStored({ runId, tick }) {
      replayed.store(runId, tick);
      responder.onStored(tick);
    },
  });
  try {
    const setup = { workflow, clock: virtualClock(), recording, seed: options.seed, guide, log: silent };
    const segment = begin(setup, firstBeginning(options));
    const ending = (await live(world, segment, { responder, options, before: [] })) as Ending;
    return { workflow: segment.workflow, types: compiled.types, ending, course: recording.ticks.map(courseOf) };
  } finally {
    await removeHarness(workflow);
  }
}

function firstBeginning({ input, resources }: CrashRunOptions): Beginning {
  return { type: "input", input, resources };
}

function courseOf({ runId, tick }: StoredTick): string {
  const { item = "", attempt = "", call = "" } = tick as unknown as Record<string, unknown>;
  return `${runId} ${tick.type} ${item}.${attempt} ${call}`;
}

/** The order in which work reported, for a run without a crash to repeat. */
function guideOf(ticks: readonly StoredTick[]): Guide {
  return ticks.flatMap(({ runId, tick }) =>
    tick.type === "step.completed" || tick.type === "step.failed" || tick.type === "step.yielded"
      ? [`${runId} ${tick.item}`]
      : [],
  );
}

interface LiveSetup {
  readonly responder: Responder;
  readonly options: CrashRunOptions;
  /** Ticks that the earlier segment has stored. */
  readonly before: readonly StoredTick[];
}

/** @returns `null` when the run has crashed. */
async function live(
  world: World,
  segment: RunSegment,
  { responder, options, before }: LiveSetup,
): Promise<Ending | null> {
  const outcome = await drive(segment, responder, options.timeoutTurns);
  if (outcome === null) return null;
  return {
    outcome,
    result: outcome.status === "completed" ? outcome.result : undefined,
    state: await segment.handler.context.store.getState(),
    effects: effectsIn([...before, ...segment.recording.ticks]),
    observed: world.observe?.(),
  };
}

export interface CrashPlan {
  /** The number of stored ticks at which the run crashes. */
  readonly crashAt: number;
  readonly from: CrashSource;
}

/** Runs until the crash, then resumes from what was stored, in a new context of a new workflow. */
export async function runInterrupted(world: World, options: CrashRunOptions, plan: CrashPlan): Promise<Interrupted> {
  const responder = new Responder(options);
  const clock = virtualClock();
  const first = world.create();
  const crash = new CrashSite(first, responder, plan);
  let second: Workflow | null = null;
  try {
    const setup = { workflow: first, clock, recording: crash.recording, seed: options.seed, log: silent };
    const segment = begin(setup, firstBeginning(options));
    crash.segment = segment;
    const ending = await live(world, segment, { responder, options, before: [] });
    if (ending !== null) return { type: "ended", ending, guide: guideOf(crash.recording.ticks) };
    await standStill(segment);
    second = world.create();
    return await resume(world, second, { responder, options, clock, crash });
  } finally {
    crash.recording.release("The run has crashed, as its test wanted.");
    await removeHarness(first);
    if (second !== null && second !== first) await removeHarness(second);
  }
}

interface ResumeSetup {
  readonly responder: Responder;
  readonly options: CrashRunOptions;
  readonly clock: VirtualClock;
  readonly crash: CrashSite;
}

async function resume(world: World, workflow: Workflow, setup: ResumeSetup): Promise<Interrupted> {
  const { responder, options, clock, crash: site } = setup;
  const { crash, dict } = site.remains();
  const recording = new Recording({ onStored: ({ tick }) => responder.onStored(tick) });
  try {
    const later = {
      workflow,
      clock: virtualClock(clock.now()),
      recording,
      seed: options.seed + crash.stored,
      log: silent,
    };
    const segment = begin(later, { type: "snapshot", dict, resources: options.resources });
    const before = site.recording.ticks;
    const ending = (await live(world, segment, { responder, options, before })) as Ending;
    return { type: "resumed", crash, ending, guide: guideOf([...before, ...recording.ticks]) };
  } catch (error) {
    return { type: "failed", crash, error };
  }
}

/** The crash of a run, and what is left afterwards. */
class CrashSite {
  readonly recording: Recording;
  segment: RunSegment | null = null;
  readonly #replayed: ReplayedRun;
  readonly #from: CrashSource;
  #found: { readonly crash: Crash; readonly dict: ContextDict } | null = null;

  constructor(workflow: Workflow, responder: Responder, { crashAt, from }: CrashPlan) {
    this.#replayed = new ReplayedRun(compileWorkflow(workflow), RUN_ID);
    this.#from = from;
    this.recording = new Recording({
      crashBefore: (_next, stored) => stored === crashAt,
      onStored: ({ runId, tick }) => {
        this.#replayed.store(runId, tick);
        responder.onStored(tick);
      },
      onCrash: (lost, isFirstOfRound) => this.#onCrash(lost, isFirstOfRound),
    });
  }

  remains(): { readonly crash: Crash; readonly dict: ContextDict } {
    return this.#found as { readonly crash: Crash; readonly dict: ContextDict };
  }

  #onCrash({ runId, tick }: StoredTick, isFirstOfRound: boolean): void {
    const { handler, attempts } = this.segment as RunSegment;
    const stored = JSON.stringify(this.#replayed.snapshot());
    // Inside a round the live state is that of the round's beginning: only the ticks know where it was cut.
    const shown = isFirstOfRound ? JSON.stringify(handler.context.toDict()) : stored;
    const step = this.#replayed.stepOf(runId, tick);
    const crash: Crash = {
      stored: this.recording.ticks.length,
      lost: { type: tick.type, workflow: this.#replayed.workflowOf(runId), step },
      // A step whose end is not stored still counts as at work.
      atWork: [...new Set([...(step === null ? [] : [step]), ...[...attempts.all].map((seen) => seen.step)])],
      from: this.#from,
      isSame: shown === stored,
      recording: this.#replayed.recording,
    };
    this.#found = { crash, dict: JSON.parse(this.#from === "journal" ? stored : shown) };
  }
}
