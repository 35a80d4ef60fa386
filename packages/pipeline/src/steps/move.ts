/** The end of a visit: where the run continues, and what is stored. */
import type { Finished, WorkflowEvent } from "millrace";
import { continuationsOf, finishWithPatches, runTime, type StatePatch } from "millrace/engine";
import { OpenAttempt, PendingNotes } from "../attempts/open-attempt.js";
import { RunEvents } from "../attempts/run-events.js";
import { finish, ROOT, type Transition } from "../interpreter/advance.js";
import { forgetNested, freshState, isGivenUp, nestIn, ownState, rootState } from "../state/own-state.js";
import type {
  Move,
  OwnState,
  PipelineState,
  Place,
  PreparedState,
  RunTreeState,
  Step,
} from "../state/pipeline-state.types.js";
import { copiedState } from "./copied-state.js";
import type { CompiledPlan, StepCtx, StepParts } from "./plan.types.js";

/** The core step of a visit, with its events and notes. */
export interface Mover extends StepParts {
  readonly plan: CompiledPlan;
  readonly events: RunEvents;
  readonly notes: PendingNotes;
}

interface MoverParts extends StepParts {
  /** Whose notes they are, and whose executor events are heard. */
  readonly attempt?: OpenAttempt;
}

export function moverOf(
  plan: CompiledPlan,
  { request, events: stored = [] }: Pick<PipelineState, "request"> & Partial<Pick<PipelineState, "events">>,
  { ctx, live, attempt }: MoverParts,
): Mover {
  const { pipeline, storage } = plan;
  const notes = attempt?.notes ?? new PendingNotes();
  const clock = live.clockOf(ctx.runId, stored);
  const time = () => clock.next(runTime(ctx));
  const isMuted = () => attempt?.isMuted === true;
  const events = new RunEvents({ ctx, request, pipeline, storage, time, pending: notes.events, isMuted });
  return { plan, ctx, live, events, notes };
}

export interface Visited {
  readonly visit: number;
  /** The first one. */
  readonly begins?: PreparedState;
  /** Whose work ends with it. */
  readonly attempt?: OpenAttempt;
  /** Its changes, if they are known at once; `null` to call `change`. See `fast-path.ts`. */
  readonly straight?: (root: RunTreeState) => KnownEnd | null;
  /** Where its changes can be made in a copy: see `canCopy`. Left out: they may be anywhere. */
  readonly within?: Place | null;
  /** Output of the core step. @default the event of the first move */
  readonly outputOf?: (moves: readonly Move[]) => Output;
}

/** The changes of a visit, known without a draft, and where the run continues. */
export interface KnownEnd {
  readonly change: { readonly patches: readonly StatePatch[] } | { readonly state: object };
  readonly moves: readonly Move[];
}

export interface PipelineCourse extends Transition {
  /** The part of this run. */
  readonly state: OwnState;
  /** All of the store, the session state among it. */
  readonly root: RunTreeState;
  readonly runId: string;
  /** How often the run has ended before. */
  readonly continuations: number;
}

type Change = (course: PipelineCourse) => readonly Step[];
type Output = WorkflowEvent | WorkflowEvent[] | undefined;

/** Ends a visit. The core step returns the result: the changes and the next steps are one commit. */
export function move(mover: Mover, visited: Visited, wanted: Change): Finished<Output> | Promise<never> {
  const { outputOf = (moves) => nextEvent(mover.plan, moves) } = visited;
  const attempt = visited.attempt ?? storing(mover);
  if (attempt === undefined) return untilOver(mover.ctx);
  const end = (movesOf: () => readonly Move[]): Output => {
    try {
      const moves = movesOf();
      mover.live.close(attempt);
      return outputOf(moves);
    } catch (error) {
      attempt.end(() => error);
      throw error;
    } finally {
      attempt.settle();
    }
  };
  const edit = (draft: object): Output => end(() => moveIn(rootState(draft), mover, { ...visited, change: wanted }));
  if (visited.begins === undefined && !visited.within) return mover.ctx.finish(edit);
  const direct = (state: object) => {
    const found = straight(rootState(state), mover, { ...visited, change: wanted });
    return found && { ...found.change, answer: end(() => found.moves) };
  };
  return finishWithPatches(mover.ctx, direct, edit);
}

/** The run ends, and has all that there is. If it is continued after its end, the step runs again. */
export function untilOver({ signal }: Pick<StepCtx, "signal">): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** The end of the run waits for a move that no attempt makes, too. `undefined`: it has ended already. */
function storing({ ctx, live }: Mover): OpenAttempt | undefined {
  if (live.isStopped(ctx.runId)) return undefined;
  const attempt = new OpenAttempt({ ctx, node: null, place: rootPlace, isLimited: false });
  live.open(attempt);
  attempt.beginStoring();
  return attempt;
}

/** `null`: a draft is needed. */
function straight(root: RunTreeState, mover: Mover, visited: Visited & { readonly change: Change }): KnownEnd | null {
  const { begins, within, straight: known } = visited;
  if (begins !== undefined) return beginning(root, mover, visited);
  if (!within || !canCopy(root, mover)) return null;
  const found = known?.(root) ?? null;
  if (found !== null) return found;
  const copy = copiedState(root, within);
  const moves = moveIn(copy.root, mover, visited);
  return { change: { patches: copy.patches() }, moves };
}

/** Whether a move of an outermost run can be made in a copy: nothing else waits to be stored with it, and no question is open. */
function canCopy(root: RunTreeState, { events, live, ctx, notes }: Mover): boolean {
  if (root.request.nesting !== null || root.nested[ctx.runId] !== undefined || root.childRuns !== undefined)
    return false;
  for (const _ in root.reviews) return false;
  return !events.keeps && !live.hasOrphans && notes.isEmpty;
}

/** The first visit of an outermost run makes all of its state. */
function beginning(root: RunTreeState, mover: Mover, visited: Visited & { readonly change: Change }): KnownEnd | null {
  if (!("session" in (visited.begins as PreparedState)) || Object.keys(root).length > 0) return null;
  const state = {} as RunTreeState;
  const moves = moveIn(state, mover, visited);
  return { change: { state }, moves };
}

function moveIn(
  root: RunTreeState,
  { plan, ctx, events, notes, live }: Mover,
  { visit, begins, change }: Visited & { readonly change: Change },
): readonly Move[] {
  if (begins !== undefined) beginIn(root, ctx.runId, begins);
  const state = ownState(root, ctx.runId);
  const emit: Transition["emit"] = (name, data, { source = "step", group } = {}) =>
    group === undefined ? events.emit(source, name, data) : events.emitGroup(name, data, group);
  if (!live.isStopped(ctx.runId)) live.storeOrphans(root); // otherwise the end of the run stores it
  const course = {
    tree: plan.tree,
    state,
    root,
    runId: ctx.runId,
    nowMs: Date.now(),
    continuations: continuationsOf(ctx),
    emit,
  };
  const wanted = change(course);
  // Whatever it has done counts, but nothing waits for more of it.
  const steps = wanted.some(continues) && isGivenUp(root, ctx.runId) ? [finish] : wanted;
  notes.keepIn(state);
  forgetNested(root, { runId: ctx.runId, visit });
  return steps.map((step) => ({ ...step, visit: isGather(step) ? visit : ++state.visits }));
}

export function nextEvent({ events }: CompiledPlan, moves: readonly Move[]): WorkflowEvent | undefined {
  return moves[0] === undefined ? undefined : events.make(moves[0]);
}

function beginIn(root: RunTreeState, runId: string, prepared: PreparedState): void {
  if ("session" in prepared) Object.assign(root, freshState(prepared));
  else nestIn(root, runId, prepared);
}

function continues({ to }: Step): boolean {
  return to !== "gather" && to !== "withdraw" && to !== "finish";
}

function isGather({ to }: Step): boolean {
  return to === "gather";
}

/** The place of a visit without one. */
export const rootPlace: Place = { frame: ROOT, at: 0 };
