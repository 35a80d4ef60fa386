/**
 * One call of a step for one work item: runs the user's function, and reports its outcome as ticks.
 *
 * Once the attempt has ended, nothing that it does has an effect.
 *
 * @module
 */

import type { CompiledStep } from "../../compile/compile.js";
import { type ElementsFeature, type GeneratorDrive, optionalModules } from "../../engine/optional-modules.js";
import type { EventData, WorkItem } from "../../engine/state.js";
import type { Send, Tick } from "../../engine/tick.js";
import { stepError, WorkflowError } from "../../errors/workflow-error.js";
import type { Release } from "../../limit/limiter.js";
import type { ResourceContainer } from "../../resource/resource.js";
import { judge } from "../../retry/retry-policy.js";
import { assertInTime, type FailedCall } from "../../state/edit-context.js";
import type { StateChange } from "../../state/patches.js";
import { readable, recordError } from "../../value/error-record.js";
import { isError, isThenable } from "../../value/kind.js";
import { inspectAttempt, inspectEnd } from "../inspect-run.js";
import { type AttemptCore, type LiveRunCore, openResources } from "../live-run.js";
import { callOf } from "./call-end.js";
import { assertFansOut, callWithMiddleware, checkOutput, isGenerator } from "./call-step.js";
import type { Calls } from "./calls.js";
import type { FinishChange, FinishResult } from "./finish-result.js";
import { endWith } from "./finish-step.js";
import { finishCalls, hasFinished, isAtWork } from "./forgotten-calls.js";
import { StepContext } from "./step-context.js";

const returned = "the step has returned";

export class Attempt implements AttemptCore {
  readonly run: LiveRunCore;
  readonly item: WorkItem;
  readonly step: CompiledStep;
  readonly number: number;
  /** When the step began. Without listeners and a store, the time of the tick that started it. */
  startedAtMs: number;
  /** `true` if the step began later than the tick that started the attempt. */
  #isLate = false;
  /** Reason for which the attempt is over; `null` while it counts. */
  ended: string | null = null;
  /** Events that were sent and are not committed yet. */
  sends: Send[] | null = null;
  sentAtOnce: string[] | null = null;
  writings = 0;
  calls: Calls | null = null;
  failures: FailedCall[] | null = null;
  /** The edit of `ctx.finish`, if the step has called it. */
  finishResult: FinishResult | null = null;
  generator: GeneratorDrive | null = null;
  /** Reason for which the step has thrown, while its calls end. */
  #failing: string | null = null;
  #controller: AbortController | null = null;
  #resources: ResourceContainer | null = null;
  #release: Release | null = null;
  /** The wait for a place in the limit of the step. */
  #turn: Promise<void> | null = null;
  #timer: StepTimer | null = null;
  #endings: (() => void)[] | null = null;

  constructor(run: LiveRunCore, item: WorkItem) {
    this.run = run;
    this.item = item;
    this.step = run.host.compiled.steps.get(item.step) as CompiledStep;
    this.number = item.attempt;
    this.startedAtMs = run.state.atMs;
  }

  start(): void {
    const { step, run } = this;
    const isWatched = run.host.inspector.active;
    if (isWatched || run.journal !== null) {
      this.startedAtMs = run.now(); // storing the tick took time
      this.#isLate = this.startedAtMs !== run.state.atMs || this.number > 1; // the state has when the first one began
    }
    if (step.limit === null) this.#provide();
    else this.#takePlace(() => this.#provide());
  }

  /** Made when first read: most steps never ask. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      const reason = this.ended ?? this.#failing;
      if (reason !== null) this.#controller.abort(attemptEnded(this, reason));
    }
    return this.#controller.signal;
  }

  onEnd(listener: () => void): void {
    this.#endings ??= [];
    this.#endings.push(listener);
  }

  get hasReturned(): boolean {
    return this.ended === returned;
  }

  get isFailing(): boolean {
    return this.#failing !== null;
  }

  get isWorking(): boolean {
    return isAtWork(this);
  }

  assertAlive(): void {
    if (this.ended !== null) throw attemptEnded(this);
    assertInTime(this);
  }

  /** A call was answered. The attempt takes its place in a limit again before its code continues. */
  settle(call: string): void {
    if (this.step.limit === null || this.item.status !== "running") this.#resume(call);
    else this.#takePlace(() => this.#resume(call));
  }

  #resume(call: string): void {
    if (this.ended !== null) return;
    this.calls?.settle(call);
    if (this.item.status === "running") this.#timer?.update(false);
  }

  /**
   * Takes a place in the limit of the step, if that exists and the attempt has none. All answers that arrive meanwhile wait
   * for the same place.
   */
  #takePlace(next: () => void): void {
    const resume = (): void => (this.ended === null ? next() : this.#free());
    if (this.#release === null && this.#turn === null) {
      const granted = this.run.host.limiters.get(this.step.limit as string)?.acquire(this.signal);
      if (granted instanceof Promise) this.#turn = granted.then((release) => this.#hold(release));
      else this.#hold(granted ?? null);
    }
    if (this.#turn === null) resume();
    else this.#turn.then(resume, (error: unknown) => this.fail(error));
  }

  #hold(release: Release | null): void {
    this.#turn = null;
    this.#release = release;
  }

  noteWork(): void {
    this.#timer?.update();
  }

  /** Stops the time of an attempt that waits without a function at work, and frees its place in a limit. */
  pause(): void {
    this.#timer?.update(true);
    this.#release?.();
    this.#release = null;
  }

  pull(): void {
    this.generator?.pull();
  }

  /** The outcome of this attempt does not count: the run has ended, or this work was cancelled. */
  end(reason: string, settle: boolean): void {
    if (this.ended !== null) return;
    // If the run leaves memory, the process that loads it next reports the attempt.
    if (settle && this.run.host.inspector.active) {
      const elapsedMs = this.run.state.atMs - this.startedAtMs;
      inspectAttempt(this, "step.stopped", { reason, elapsedMs });
    }
    this.#over(reason, settle);
  }

  #over(reason: string, settle: boolean): void {
    this.ended = reason;
    this.sends = null;
    this.#timer?.stop();
    // An error is expensive to create, so it is created only if a listener gets it.
    if (this.#controller !== null || this.calls?.isWaiting || this.run.hasStore()?.isWriting(this) === true)
      this.#reportEnd(settle);
    if (this.calls !== null) this.run.hasStore()?.forget(this);
    for (const listener of this.#endings ?? []) listener();
    this.generator?.stop();
    this.#free();
  }

  #reportEnd(settle: boolean): void {
    const error = attemptEnded(this);
    this.#controller?.abort(error);
    this.run.hasStore()?.rollback(this, settle ? error : null);
    if (settle) this.calls?.rejectAll(error);
  }

  complete(value: unknown): void {
    if (this.ended !== null) return;
    try {
      endWith(this, value, checkOutput);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when the output or the edit has to be stored and cannot be,
   * `STEP_RESULT_INVALID` for too many elements.
   */
  finish(output: EventData | readonly EventData[] | null, last: FinishChange | null = null): void {
    if (Array.isArray(output)) optionalModules.elements?.assertRoom(this, output.length);
    const { run, sends, item } = this;
    const atMs = run.now();
    const tick: Tick = { type: "step.completed", atMs, item: item.id, attempt: this.number, output, sends };
    if (last !== null) (tick as { change?: StateChange }).change = last.change;
    const shown = this.finishResult?.shown ?? null;
    if (shown !== null) (tick as { shown?: readonly EventData[] }).shown = shown;
    if (this.#isLate) (tick as { elapsedMs?: number }).elapsedMs = this.#elapsedMs(atMs);
    run.prepare(tick);
    if (run.host.inspector.active) inspectEnd(this, tick);
    this.#over(returned, true);
    run.submit(tick, last?.onStored);
    run.forget(item.id); // the next one is listed by now: a map that becomes empty gets another table
  }

  fail(given: unknown): void {
    if (this.ended !== null) return;
    const thrown = readable(given);
    const { run, item } = this;
    // The step failed only because the runtime stops: it begins again where the run is loaded next.
    if (run.journal?.isStopping?.(thrown)) {
      run.forget(item.id);
      return this.#over("the runtime has been stopped", false);
    }
    const atMs = run.now();
    const { error, delayMs } = judge(this.step.retry, {
      subject: `${run.state.runId} ${item.id}`,
      failures: item.failures + 1,
      elapsedMs: atMs - item.firstStartedAtMs,
      error: thrown,
    });
    this.#over(failedWith(error), true);
    run.forget(item.id);
    const retryAtMs = delayMs === null ? null : atMs + delayMs;
    const tick: Tick = {
      type: "step.failed",
      atMs,
      item: item.id,
      attempt: this.number,
      error: recordError(error),
      retryAtMs,
      ...(this.generator !== null && { isGenerator: true }),
      ...(this.#isLate && { elapsedMs: this.#elapsedMs(atMs) }),
    };
    if (run.host.inspector.active) inspectEnd(this, tick, error);
    run.submit(tick);
  }

  #elapsedMs(atMs: number): number {
    return Math.max(0, atMs - this.startedAtMs); // the clock may have been set back
  }

  #provide(): void {
    const { step } = this;
    // The time counts from here on, because the turn in a limit may come late.
    if (step.timeoutMs !== null) this.#timer = new StepTimer(this);
    // Without a call of `resource()`, the step has no resources.
    if (step.resources === null || optionalModules.resources === undefined)
      return this.#invoke(step.resources ?? undefined);
    try {
      this.#resources = openResources("call", this.run.resources());
      const values = this.#resources.resolve(step.resources);
      if (!(values instanceof Promise)) return this.#invoke(values);
      values.then(
        (ready) => (this.ended === null ? this.#invoke(ready) : this.#free()),
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      this.fail(error);
    }
  }

  #invoke(resources: unknown): void {
    let value: unknown;
    try {
      const ctx = new StepContext(this);
      value = this.run.host.inspector.tracer === null ? this.#call(ctx, resources) : this.#callTraced(ctx, resources);
      if (isThenable(value))
        return void value.then(
          (result) => this.#settled(result),
          (error: unknown) => this.threw(error),
        );
    } catch (error) {
      return this.threw(error);
    }
    this.#settled(value);
  }

  #callTraced(ctx: StepContext, resources: unknown): unknown {
    return this.run.host.inspector.tracer?.callStep(callOf(this, ctx), () => this.#call(ctx, resources));
  }

  #call(ctx: StepContext, resources: unknown): unknown {
    const { input } = this.item;
    const payload = input.kind === "event" ? input.event : optionalModules.gathered?.argumentOf(input);
    if (this.run.host.compiled.middleware.length > 0) return callWithMiddleware(this, { payload, ctx, resources });
    return this.step.call(payload, ctx, resources);
  }

  #settled(value: unknown): void {
    let generator: AsyncGenerator<unknown, unknown> | null;
    try {
      generator = isGenerator(value) ? value : null;
    } catch (error) {
      return this.threw(error); // a getter or a proxy of the step has thrown
    }
    if (generator !== null) this.#generate(generator);
    else if (hasFinished(this)) this.complete(value);
    else this.#completeAfterCalls(value);
  }

  #completeAfterCalls(value: unknown): void {
    this.afterCalls(() => this.complete(value));
  }

  #generate(generator: AsyncGenerator<unknown, unknown>): void {
    try {
      assertFansOut(this.step);
      (optionalModules.elements as ElementsFeature).run(this, generator);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Events that were sent before the end stay in the run, with any outcome of the attempt. */
  commitSends(sends: readonly Send[] | null): void {
    if (sends === null) return;
    const { run, item, number } = this;
    run.submit({ type: "sends.committed", atMs: run.now(), item: item.id, attempt: number, sends });
  }

  /** The calls of the step are finished first, whether it awaits them or not. */
  afterCalls(next: () => void): void {
    finishCalls(this, (failure) => {
      if (this.ended !== null) return;
      if (failure === null) next();
      else this.fail(failure.error);
    });
  }

  /** The step has thrown: as when it returns, the calls that it had made before count. */
  threw(error: unknown): void {
    if (hasFinished(this)) return this.fail(error);
    this.#failing = failedWith(readable(error));
    // The signals of running effects abort at once: their results are not needed.
    if (isAtWork(this)) this.#controller?.abort(attemptEnded(this, this.#failing));
    finishCalls(this, () => this.fail(error));
  }

  #free(): void {
    this.#release?.();
    this.#release = null;
    this.#resources?.close(`step "${this.step.definition.name}"`, this.run.host.ports.log);
    this.#resources = null;
  }
}

function failedWith(error: unknown): string {
  return `the step has failed${isError(error) ? `: ${error.message}` : ""}`;
}

function attemptEnded({ step, item, number, ended }: Attempt, reason: string | null = ended): WorkflowError {
  const { name } = step.definition;
  return new WorkflowError({
    code: "ATTEMPT_ENDED",
    message: `Attempt ${number} of step "${name}" (item ${item.id}) is over: ${reason}.`,
    hint: "Await everything a step starts before it returns, and stop when `ctx.signal` aborts.",
    details: { step: name, item: item.id, attempt: number, reason },
  });
}

/** The time limit of an attempt: it counts while the step waits for no answer, and while a function of `ctx.run` is at work. */
class StepTimer {
  readonly #attempt: AttemptCore;
  #leftMs: number;
  #sinceMs = 0;
  #callOff: (() => void) | null = null;
  #isWaiting = false;

  constructor(attempt: AttemptCore) {
    this.#attempt = attempt;
    this.#leftMs = attempt.step.timeoutMs as number;
    this.update();
  }

  /** @param isWaiting Whether the step waits for an answer. @default as before */
  update(isWaiting: boolean = this.#isWaiting): void {
    this.#isWaiting = isWaiting;
    if (isWaiting && this.#attempt.calls?.isWorking !== true) this.stop();
    else this.#run();
  }

  #run(): void {
    if (this.#callOff !== null || this.#attempt.ended !== null) return;
    const { clock } = this.#attempt.run.host.ports;
    this.#sinceMs = this.#attempt.run.now();
    this.#callOff = clock.setTimer(clock.now() + this.#leftMs, () => this.#attempt.fail(timedOut(this.#attempt)));
  }

  stop(): void {
    if (this.#callOff === null) return;
    this.#callOff();
    this.#callOff = null;
    // A clock that is set back adds no time.
    this.#leftMs -= Math.max(0, this.#attempt.run.now() - this.#sinceMs);
  }
}

function timedOut({ step, item }: AttemptCore): WorkflowError {
  const { timeoutMs: limitMs } = step;
  return stepError(step, {
    code: "STEP_TIMEOUT",
    what: `has worked for ${limitMs} ms (item ${item.id}, attempt ${item.attempt}): that is its limit`,
    hint: "Raise `timeout` of the step, or split it.",
    details: { limitMs, attempt: item.attempt },
  });
}
