/**
 * Facts about a run for code that its steps call, beyond those of `ctx`; and work that a host does for a step, as a call of the step.
 *
 * @module
 */
import type { Context } from "../../authoring/context.types.js";
import type { Finished } from "../../authoring/trigger.types.js";
import { invalidOption } from "../../errors/workflow-error.js";
import { CallPromise } from "../../state/edit-context.js";
import type { DirectEdit } from "../../state/finish-group.js";
import type { StatePatch } from "../../state/patches.js";
import { prepareChange, preparePatches } from "../../state/prepare-change.js";
import type { AttemptCore, LiveRun } from "../live-run.js";
import { callsOf } from "./calls.js";
import { beginFinish } from "./finish-step.js";
import { makeCall, rejectCall } from "./forgotten-calls.js";
import { StepContext } from "./step-context.js";

/**
 * The state of the run of a step, frozen, with every edit that is on its way: those that other steps end with among them, which
 * `ctx.store` does not show before they are stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that does not belong to a step.
 */
export function projectedState<State>(ctx: Context<State>): Promise<State> {
  return attemptOfStep(ctx, "projectedState").run.store().settled() as Promise<State>;
}

/**
 * The time of the run of a step, in epoch milliseconds: never before its last tick, though the run was loaded by another process, or
 * the clock was set back.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that does not belong to a step.
 */
export function runTime(ctx: Pick<Context, "runId">): number {
  return attemptOfStep(ctx, "runTime").run.now();
}

/**
 * How often the run has ended and was continued, by `retry` or `resume`: equal in all processes that continue it after a crash.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that does not belong to a step.
 */
export function continuationsOf(ctx: Pick<Context, "runId">): number {
  return attemptOfStep(ctx, "continuationsOf").run.state.continuations;
}

/**
 * Cancels the run of a step from inside, as `cancel` of its handle does. The step is cut off: what it returns later does not count.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that does not belong to a step.
 */
export function cancelOwnRun(ctx: Pick<Context, "runId">, reason: string | null): void {
  const { run } = attemptOfStep(ctx, "cancelOwnRun");
  run.submit({ type: "run.cancelled", atMs: run.now(), reason });
}

/** The context that a step was called with, of this context or of a scope of it; what is no context of a step, as it is. */
export function stepContextOf(ctx: object): object {
  return StepContext.stepOf(ctx) ?? ctx;
}

type DirectEnd<Output> = { readonly answer: Output } & (
  | { readonly patches: readonly StatePatch[] }
  | { readonly state: object }
);

/**
 * Works like `ctx.finish(edit)`, for an edit whose changes are often known without a draft.
 *
 * @param direct Returns the patches of the frozen state, or the state that replaces it, and what the callback would return.
 * If it returns `null`, the callback is called. @throws {WorkflowError} `OPTION_INVALID` for a context that does not belong
 * to a step.
 */
export function finishWithPatches<Output>(
  ctx: object,
  direct: (state: never) => DirectEnd<Output> | null,
  edit: (draft: never) => Output,
): Finished<Output> {
  const act = beginFinish(attemptOfStep(ctx, "finishWithPatches"), edit);
  const directEdit: DirectEdit = (before, rules) => {
    const found = act.opened(() => direct(before as never));
    if (found === null) return null;
    const change =
      "patches" in found ? preparePatches(before, found.patches, rules) : prepareChange(before, found.state, rules);
    return { answer: found.answer, change };
  };
  // Not in one statement: V8 puts a function that is written where a property is assigned into its old generation at once. Until
  // the next full garbage collection it would keep alive all that the step has used.
  act.direct = directEdit;
  return act as never;
}

/**
 * Resolves once everything that the open children of a run have written to their streams until now is on its way into the stream of
 * the run: an event that ends the run comes behind it.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a context that does not belong to a step.
 */
export async function settledChildren(ctx: object): Promise<void> {
  await drained(attemptOfStep(ctx, "settledChildren").run as Partial<LiveRun>);
}

/** A run elsewhere has no children in memory. */
async function drained({ children = null }: Partial<LiveRun>): Promise<void> {
  const open = [...(children?.values() ?? [])].filter(({ live }) => live);
  await Promise.all(open.map(drained)); // the innermost first
  await Promise.all(open.map((child) => new Promise<void>((done) => queuedBehind(child, done))));
}

/** A tick that changes nothing. */
function queuedBehind(run: LiveRun, done: () => void): void {
  if (run.live) run.submit({ type: "time.passed", atMs: run.now() }, done);
  else done();
}

function attemptOfStep(ctx: object, asking: string): AttemptCore {
  const attempt = StepContext.attemptOf(ctx);
  if (attempt !== null) return attempt;
  throw invalidOption(`\`${asking}\` needs the context of a step.`, "Pass the `ctx` that the step was called with.", {
    option: "ctx",
  });
}

/** The attempt that a context belongs to; `null` for a context of no step. */
export function attemptOf(ctx: object): AttemptCore | null {
  return StepContext.attemptOf(originalOf(ctx));
}

/**
 * A step that forgets to await the call does not end before it, and fails with its error.
 *
 * @param check Throws if the arguments are wrong.
 */
export function hostCall<Value>(attempt: AttemptCore, check: () => void, work: () => Promise<Value>): Promise<Value> {
  return makeCall(attempt, () => {
    check();
    const calls = callsOf(attempt);
    const call = new CallPromise<Value>((resolve, reject) => {
      work().then(
        (value) => {
          calls.over(call);
          resolve(value);
        },
        (error: unknown) => {
          calls.over(call);
          rejectCall(attempt, { call, error }, reject);
        },
      );
    });
    calls.begin(call, { isResting: false, promise: call });
    return call;
  });
}

/** Contexts that stand for the context of a step, such as those of executors, by what was made of them. */
const originals = new WeakMap<object, object>();

/** Notes that functions which need the context of a step itself may take this one for it. */
export function noteOriginal(context: object, original: object): void {
  originals.set(context, original);
}

function originalOf(context: object): object {
  const original = originals.get(context);
  return original === undefined ? context : originalOf(original);
}
