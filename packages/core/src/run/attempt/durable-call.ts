/**
 * A call of `ctx.run`: attempts of its function, one after the other, until one has succeeded or its policy allows no other.
 *
 *     place in its limit ──► begun ──► function ──► recorded ──► resolved
 *            ▲                           └──► failed ──(final)──► rejected
 *            └──(time of the next attempt)───────┘
 *
 * Callbacks, and no async function: most calls succeed in their first attempt, and a promise takes as long as all the rest of it.
 *
 * @module
 */

import type { EffectRecord } from "../../engine/state.js";
import type { CallAwaited, EffectFailed, EffectOpened, EffectRecorded } from "../../engine/tick.js";
import type { Release } from "../../limit/limiter.js";
import { judge } from "../../retry/retry-policy.js";
import { CallPromise, type OpenCall, runInCall } from "../../state/edit-context.js";
import { nextTurn } from "../../system/system.js";
import { encodeValue } from "../../value/codec.js";
import { readable, recordError } from "../../value/error-record.js";
import type { AttemptCore } from "../live-run.js";
import { type CallEnd, type CallSetup, callEffect, endCall, endOf } from "./call-end.js";
import { callsOf, type EffectPhase, recall } from "./calls.js";
import { CallTime } from "./check-calls.js";
import { rejectCall } from "./forgotten-calls.js";
import { openEffect, partsOf, stampOf } from "./open-call.js";
import { revoked } from "./piece-writer.js";

/**
 * Begins the call, or continues with the attempts that an earlier attempt of the step has left.
 *
 * @param known What the run knows of the call; `undefined` if it has never begun.
 */
export function runCall<Result>(attempt: AttemptCore, setup: CallSetup, known?: EffectRecord): CallPromise<Result> {
  const call = new DurableCall(attempt, setup);
  callsOf(attempt).begin(setup.call, call);
  call.start(known);
  return call.promise as CallPromise<Result>;
}

class DurableCall implements EffectPhase {
  readonly #attempt: AttemptCore;
  readonly #setup: CallSetup;
  readonly promise: CallPromise<unknown>;
  #resolve!: (value: unknown) => void;
  #reject!: (error: unknown) => void;
  isResting = false;
  /** Number of its current attempt. */
  #number = 1;
  /** 0 if not known. */
  #beganAtMs = 0;
  /** `true` once a tick has recorded the beginning of its current attempt. */
  #isOpened = false;
  #isOver = false;
  #release: Release | null = null;
  #time: CallTime | null = null;

  constructor(attempt: AttemptCore, setup: CallSetup) {
    this.#attempt = attempt;
    this.#setup = setup;
    this.promise = new CallPromise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(known: EffectRecord | undefined): void {
    if (known?.status === "failed") this.#tryAfter(callsOf(this.#attempt).recall(known.call));
    else if (known?.status === "open")
      this.#tryAfter(this.#rest({ type: "call.awaited", ...stampOf(this.#attempt, known.call) }));
    else this.#try(known);
  }

  /** @param answer Rejects when the call has failed and is not retried. */
  #tryAfter(answer: Promise<unknown>): void {
    answer.then(
      () => this.#try(this.#record),
      (error: unknown) => this.#rejectWith(error),
    );
  }

  #try(known: EffectRecord | undefined): void {
    const open = openEffect(this.#attempt, this.#setup.call);
    try {
      const ready = this.#begin(known?.attempts ?? 0);
      if (ready === null) this.#work(open);
      else this.#after(ready, open, () => this.#work(open));
    } catch (error) {
      this.#failed(error, open);
    }
  }

  /** Continues with the answer. When it is a failure, this attempt of the call has failed. */
  #after<Answer>(answer: Promise<Answer>, open: OpenCall, next: (answer: Answer) => void): void {
    answer.then(next, (error: unknown) => this.#failed(error, open));
  }

  /** The record of the call in the run; `undefined` before its first tick. */
  get #record(): EffectRecord | undefined {
    return this.#attempt.item.calls?.get(this.#setup.call) as EffectRecord | undefined;
  }

  /** Says in a tick which attempt of the call it is from, and the label in the first one. */
  #signed<Signed extends EffectOpened | EffectFailed | EffectRecorded>(tick: Signed): Signed {
    const { label } = this.#setup.policies;
    const facts = tick as { -readonly [Fact in "callAttempt" | "label"]?: EffectOpened[Fact] };
    if (this.#number > 1) facts.callAttempt = this.#number;
    if (label !== undefined && !this.#isOpened) facts.label = label;
    return tick;
  }

  /** Takes a place in its limit, and records the beginning. `null` if its function can be called at once. */
  #begin(before: number): Promise<void> | null {
    const attempt = this.#attempt;
    const { limiter, isPlain } = this.#setup.policies;
    this.#number = before + 1;
    this.#isOpened = this.#isOver = false;
    if (!isPlain) return this.#beginNoted(limiter?.acquire(attempt.signal) ?? null);
    const { run } = attempt;
    if (run.journal === null) return null;
    this.#beganAtMs = run.now();
    afterThisTurn(this);
    return null;
  }

  /** A policy counts every attempt: the function waits until its beginning is stored. */
  #beginNoted(granted: Release | Promise<Release> | null): Promise<void> | null {
    if (granted instanceof Promise) return granted.then((release) => this.#beginNoted(release) ?? undefined);
    const attempt = this.#attempt;
    const { run } = attempt;
    this.#release = granted;
    attempt.assertAlive();
    this.#beganAtMs = run.now();
    const stored = run.commit(this.#opening());
    if (stored === undefined) return null;
    return stored.then(() => {
      attempt.assertAlive();
      if (attempt.isFailing) throw attempt.signal.reason;
      this.#beganAtMs = run.now();
    });
  }

  #opening(): EffectOpened {
    const tick = this.#signed({ type: "effect.opened", ...stampOf(this.#attempt, this.#setup.call) });
    this.#isOpened = true;
    return tick;
  }

  /** The turn of the host in which it has begun is over. */
  noteOpen(): void {
    if (this.#isOpened || this.#isOver || this.#attempt.ended !== null) return;
    try {
      this.#attempt.run.submit(this.#opening());
    } catch {
      this.#isOpened = false; // a tick that is too long to be stored: that of the result is longer, and fails the call with it
    }
  }

  #work(open: OpenCall): void {
    try {
      this.#after(Promise.resolve(this.#called(open)), open, (given) => this.#given(given, open));
    } catch (error) {
      this.#failed(error, open);
    }
  }

  #called(open: OpenCall): unknown {
    const { key, policies } = this.#setup;
    if (policies.timeoutMs !== null)
      this.#time = new CallTime(this.#attempt, open, { key, number: this.#number, limitMs: policies.timeoutMs });
    const [attempt, setup, number, time] = [this.#attempt, this.#setup, this.#number, this.#time];
    const given = runInCall(open, () => callEffect({ attempt, open, setup, number, time }));
    return time === null ? given : time.race(given);
  }

  #given(given: unknown, open: OpenCall): void {
    open.open = false;
    try {
      const recorded = this.#recorded(given, open);
      if (recorded instanceof Promise) this.#after(recorded, open, (value) => this.#succeed(value));
      else this.#succeed(recorded);
    } catch (error) {
      this.#failed(error, open);
    }
  }

  #recorded(given: unknown, open: OpenCall): unknown {
    const attempt = this.#attempt;
    attempt.assertAlive();
    if (open.refusal !== null) throw open.refusal;
    const end = endOf(attempt, open, given);
    return end === null ? this.#recordResult(given, open) : this.#end(open, end);
  }

  #succeed(value: unknown): void {
    callsOf(this.#attempt).over(this.#setup.call);
    this.#resolve(value);
  }

  #rejectWith(error: unknown): void {
    callsOf(this.#attempt).over(this.#setup.call);
    rejectCall(this.#attempt, { call: this.promise, error }, this.#reject);
  }

  #failed(thrown: unknown, open: OpenCall): void {
    this.#leave(open);
    this.#tryAfter(this.#fail(thrown, open));
  }

  /** The attempt is over: its time, and its place in its limit. */
  #leave(open: OpenCall): void {
    open.open = false;
    this.#isOver = true;
    this.#time?.stop();
    this.#release?.();
    this.#time = this.#release = null;
  }

  /** Returns the result, or a promise of it where it has to be stored first. */
  #recordResult(given: unknown, open: OpenCall): unknown {
    const attempt = this.#attempt;
    this.#leave(open);
    const tick = this.#recording(given, partsOf(attempt, open));
    attempt.run.submit(tick);
    const calls = callsOf(attempt);
    const known = calls.record(tick.call);
    return known?.kind === "run" ? recall(attempt, known.value) : calls.expect(tick.call);
  }

  /** @throws {WorkflowError} `VALUE_UNSERIALIZABLE`: a result that cannot be stored is refused where it is made. */
  #recording(given: unknown, parts: Partial<EffectRecorded> | null): EffectRecorded {
    const { run, item, number } = this.#attempt;
    const { key, call } = this.#setup;
    encodeValue(given, `run "${key}"`, run.host.compiled.values);
    const value = recall(this.#attempt, given);
    const tick: EffectRecorded = {
      type: "effect.recorded",
      atMs: run.now(),
      item: item.id,
      attempt: number,
      call,
      value,
    };
    if (parts !== null) Object.assign(tick, parts);
    const elapsedMs = this.#isOpened || this.#beganAtMs === 0 ? 0 : tick.atMs - this.#beganAtMs;
    if (elapsedMs > 0) (tick as { elapsedMs?: number }).elapsedMs = elapsedMs;
    return this.#signed(tick);
  }

  /** Within the time of the call, until its edit is made. */
  #end(open: OpenCall, end: CallEnd): Promise<unknown> {
    const ended = endCall(this.#attempt, {
      open,
      end,
      recording: (value, parts) => this.#recording(value, parts),
      submitted: () => this.#leave(open),
    });
    return this.#time === null ? ended : this.#time.race(ended);
  }

  /** Resolves when the next attempt may begin; rejects if there is none. */
  async #fail(thrown: unknown, open: OpenCall): Promise<void> {
    const attempt = this.#attempt;
    const { run } = attempt;
    attempt.assertAlive();
    const failure = readable(thrown);
    // The call failed because the step ends or the runtime stops.
    if (attempt.isFailing || run.journal?.isStopping?.(failure)) throw thrown;
    const tick = this.#failing(failure, open);
    run.prepare(tick);
    if ((tick.retryAtMs ?? 0) > tick.atMs) return this.#rest(tick);
    const answer = callsOf(attempt).expect(tick.call);
    run.submit(tick);
    await answer;
  }

  /** The tick of a failure, with the time of the next attempt that the policy sets. */
  #failing(failure: unknown, open: OpenCall): EffectFailed {
    const attempt = this.#attempt;
    const { call, policies } = this.#setup;
    const beganAtMs = this.#beganAtMs;
    const stamp = stampOf(attempt, call);
    const { failures = 0, sinceMs = -1 } = this.#record ?? {};
    const { error, delayMs } = judge(policies.retry, {
      subject: `${attempt.run.state.runId} ${attempt.item.id} ${call}`,
      failures: failures + 1,
      elapsedMs: stamp.atMs - (sinceMs < 0 ? beganAtMs : sinceMs),
      error: failure,
    });
    return this.#signed({
      type: "effect.failed",
      ...stamp,
      error: recordError(error),
      retryAtMs: delayMs === null ? null : stamp.atMs + delayMs,
      elapsedMs: beganAtMs === 0 ? 0 : Math.max(0, stamp.atMs - beganAtMs), // the clock may have been set back
      ...(open.hasShown && delayMs !== null && { written: revoked(attempt) }),
    });
  }

  /** Waits for the time of the next attempt. Until then the step has no slot, and its run may leave memory. */
  async #rest(tick: EffectFailed | CallAwaited): Promise<void> {
    const attempt = this.#attempt;
    const calls = callsOf(attempt);
    const answer = calls.expect(tick.call);
    attempt.pause();
    calls.rest(this, true);
    attempt.run.submit(tick);
    try {
      await answer;
    } finally {
      calls.rest(this, false);
    }
  }
}

// ---- calls without options that have begun in this turn
// A call that does not end within the turn of the event loop gets a tick for its beginning, so that it is seen while it is at work. A
// call that ends within the turn costs one tick.

let begun: DurableCall[] | null = null;

function afterThisTurn(call: DurableCall): void {
  if (begun === null) {
    const together: DurableCall[] = [];
    begun = together;
    nextTurn(() => {
      begun = null;
      for (const one of together) one.noteOpen();
    });
  }
  begun.push(call);
}
