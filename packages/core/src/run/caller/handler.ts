/**
 * The handle of a started run.
 *
 * @module
 */

import type { HandlerSendOptions, PendingPrompt, RunOutcome, WorkflowHandler } from "../../authoring/handler.types.js";
import type { RunContext } from "../../authoring/store.types.js";
import type { Outcome } from "../../engine/state.js";
import { type Receipt, runFinished, type Tick } from "../../engine/tick.js";
import type { WorkflowEvent } from "../../event/event.js";
import type { Sendable } from "../../event/event.types.js";
import type { RunStream, StreamOptions } from "../../stream/run-stream.js";
import { Deferred } from "../../system/deferred.js";
import { isError } from "../../value/kind.js";
import { checkOptionNames } from "../../value/options.js";
import { type LiveRun, wakeAt } from "../live-run.js";
import { outcomeError, resultOfStop, runOutcome } from "../outcome.js";
import { openStream } from "../perform.js";
import { CallerContext } from "./caller-context.js";
import { assertSendable, deliver, type OutsideMessage, promptsOf } from "./deliver-event.js";

export class RunHandler implements WorkflowHandler<unknown, unknown> {
  readonly #runner: LiveRun;
  #context: CallerContext | null;
  /** Created on demand: the handler of a run that waits for days is rarely awaited. */
  #result: Deferred<unknown> | null = null;
  #accepted: Deferred<void> | null = null;
  #isStored: boolean;
  #awaited = false;
  /** Kept here, because another handler may have continued the run. */
  #outcome: Outcome | null = null;
  #dropped: { readonly error: unknown } | null = null;
  #stopListening: (() => void) | null = null;

  constructor(runner: LiveRun, context: CallerContext | null) {
    this.#runner = runner;
    this.#context = context;
    this.#isStored = runner.journal === null && runner.host.permits === null;
  }

  get [Symbol.toStringTag](): string {
    return "WorkflowHandler";
  }

  get runId(): string {
    return this.#runner.state.runId;
  }

  get context(): RunContext {
    const { host, state } = this.#runner;
    this.#context ??= new CallerContext(host.compiled, { state, children: null }, this.#runner);
    return this.#context;
  }

  get accepted(): Promise<void> {
    if (this.#accepted === null) {
      this.#accepted = new Deferred();
      if (this.#isStored) this.#accepted.resolve();
    }
    return this.#accepted.promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: a handler is a promise of the result
  then<Fulfilled = unknown, Rejected = never>(
    onFulfilled?: ((result: unknown) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#awaited = true;
    return this.#promise().then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<unknown> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    this.#awaited = true;
    return this.#promise().finally(onFinally);
  }

  sendEvent<Event>(sendable: Sendable<Event>, options: HandlerSendOptions = {}): Promise<Receipt> {
    const event = sendable as WorkflowEvent;
    checkOptionNames("send", options);
    assertSendable(event);
    return this.#send({ kind: "event", event, step: options.step ?? null });
  }

  answer(promptId: string, fields: object = {}): Promise<Receipt> {
    return this.#send({ kind: "answer", promptId, fields });
  }

  /** Sends a message. A run that left memory sends no receipt: it was dropped, or it ended and another handler has resumed it. */
  async #send(message: OutsideMessage): Promise<Receipt> {
    const receipt = await deliver(this.#runner, message);
    if (receipt !== null) return receipt;
    if (this.#outcome === null) throw this.#dropped?.error;
    return runFinished(this.#outcome.status);
  }

  streamEvents<Event extends WorkflowEvent = WorkflowEvent>(options?: StreamOptions): RunStream<Event> {
    return openStream(this.#runner).read(options) as RunStream<Event>;
  }

  /** Resolves when the run has stopped. */
  async cancel(reason?: unknown): Promise<Receipt> {
    this.#awaited = true; // the caller of `cancel` knows how the run ends
    const receipt = await this.#send({ kind: "cancel", reason: reason ?? null });
    await childrenEnded(this.#runner);
    return receipt;
  }

  async idle(): Promise<RunOutcome> {
    this.#awaited = true;
    await this.#runner.idle();
    return this.#ended() ?? this.#waiting();
  }

  async outcome(): Promise<RunOutcome | null> {
    return this.#ended() ?? (this.#runner.isIdle() ? this.#waiting() : null);
  }

  #ended(): RunOutcome | null {
    if (this.#dropped !== null) throw this.#dropped.error;
    return this.#outcome === null ? null : runOutcome(this.runId, this.#outcome);
  }

  #waiting(): RunOutcome {
    return { status: "waiting", prompts: promptsOf(this.#runner), wakeAtMs: wakeAt(this.#runner) };
  }

  async prompts(): Promise<readonly PendingPrompt[]> {
    return this.#runner.live ? promptsOf(this.#runner) : [];
  }

  /** @param tick The tick that the run begins or continues with. @internal */
  follow(tick: Tick): void {
    if (!this.#isStored) void this.#runner.whenStored(tick).then(() => this.#onStored());
  }

  #onStored(): void {
    this.#isStored = true;
    this.#accepted?.resolve();
  }

  /** Cancels the run when the signal aborts. @internal */
  cancelOn(signal: AbortSignal): void {
    const onAbort = (): void => {
      const { reason } = signal;
      void this.cancel(isError(reason) ? reason.message : reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#stopListening = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) queueMicrotask(onAbort);
  }

  /** @internal */
  onFinish(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#onStored();
    this.#over(outcome.status !== "completed");
  }

  /** @internal */
  onDrop(error: unknown): void {
    this.#dropped = { error };
    this.#accepted?.reject(error);
    this.#over(true);
  }

  #promise(): Promise<unknown> {
    if (this.#result === null) {
      this.#result = new Deferred();
      this.#settle(this.#result);
    }
    return this.#result.promise;
  }

  #over(hasFailed: boolean): void {
    if (this.#result !== null) this.#settle(this.#result);
    this.#stopListening?.();
    const { liveIds } = this.#runner.host;
    if (liveIds.size > 0) liveIds.delete(this.runId); // only chosen ids are in it, and to look one up reads all of it
    if (hasFailed) this.#logUnhandled();
  }

  /** Does nothing while the run has not ended. */
  #settle(result: Deferred<unknown>): void {
    const outcome = this.#outcome;
    if (outcome?.status === "completed") result.resolve(resultOfStop(outcome.event));
    else if (outcome !== null || this.#dropped !== null) result.reject(this.#error());
  }

  /** Returns the error of a run without a result. */
  #error(): unknown {
    return this.#outcome === null ? this.#dropped?.error : outcomeError(this.runId, this.#outcome);
  }

  /** Logs a failure that no caller awaits. */
  #logUnhandled(): void {
    queueMicrotask(() => {
      const { log } = this.#runner.host.ports;
      if (!this.#awaited)
        log.error(
          `Run "${this.runId}" of "${this.#runner.state.workflow}" has ended without a result, and no caller awaits it.`,
          this.#error(),
        );
    });
  }
}

/** Their ends may still have to be stored. */
async function childrenEnded(run: LiveRun): Promise<void> {
  for (const child of run.children?.values() ?? []) {
    while (child.live) await child.idle();
    await childrenEnded(child);
  }
}
