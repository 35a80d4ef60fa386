/**
 * A call of `ctx.run`: attempts of its function, one after the other, until one has succeeded or its policy allows no other.
 *
 *     place in its limit ──► begun ──► function ──► recorded ──► resolved
 *            ▲                           └──► failed ──(final)──► rejected
 *            └──(time of the next attempt)───────┘
 *
 * @module
 */
import type { Context, EffectCall } from "../../authoring/context.types.js";
import type { Finished } from "../../authoring/finished.types.js";
import type { EffectRecord } from "../../engine/state.js";
import type { CallAwaited, EffectFailed, EffectOpened, EffectRecorded } from "../../engine/tick.js";
import type { AttemptCall } from "../../inspect/telemetry.types.js";
import { judge } from "../../retry/judge.js";
import type { CallPromise } from "../../state/call-promise.js";
import { type OpenCall, runInCall, runInSyncCall } from "../../state/edit-context.js";
import { encodeValue } from "../../value/codec.js";
import { readable, recordError } from "../../value/error-record.js";
import type { AttemptCore } from "../run.types.js";
import { beginEnd, type CallStamp, endCall, endOf } from "./call-end.js";
import { idempotencyKey } from "./call-ids.js";
import { afterThisTurn } from "./call-openings.js";
import type { CallPolicies } from "./call-policies.js";
import { CallTime } from "./call-time.js";
import { callsOf, recall } from "./calls.js";
import { type EffectPhase, watchEffect } from "./forgotten-calls.js";
import { openEffect, partsOf } from "./open-call.js";

export type Effect<Result> = (
  call: EffectCall<never>,
) => Result | Finished<Result> | Promise<Result | Finished<Result>>;

export interface CallSetup {
  /** Its id in the memory of the work item. */
  readonly call: string;
  readonly key: string;
  readonly effect: Effect<unknown>;
  readonly policies: CallPolicies;
  /** Path of the scope that it is made in; empty for the step itself. */
  readonly scope: string;
  /** The context that it is made through. */
  readonly ctx: Pick<Context, "sendEvent" | "writeEventToStream">;
  /** The context that the step was called with. */
  readonly step: object;
}

/** Begins the call, or continues with the attempts that an earlier attempt of the step has left. */
export function runCall<Result>(attempt: AttemptCore, setup: CallSetup): CallPromise<Result> {
  const call = new DurableCall(attempt, setup);
  return watchEffect(attempt, call.result() as Promise<Result>, call);
}

class DurableCall implements EffectPhase {
  readonly #attempt: AttemptCore;
  readonly #setup: CallSetup;
  isResting = false;
  /** Number of its current attempt. */
  #number = 1;
  #beganAtMs = 0;
  /** `true`: a tick says that its current attempt has begun. */
  #isOpened = false;
  #isOver = false;

  constructor(attempt: AttemptCore, setup: CallSetup) {
    this.#attempt = attempt;
    this.#setup = setup;
  }

  async result(): Promise<unknown> {
    const { status } = this.#record ?? {};
    if (status === "failed") return callsOf(this.#attempt).recall(this.#setup.call);
    if (status === "open") await this.#rest({ type: "call.awaited", ...this.#stamp() });
    for (;;) {
      try {
        return await this.#try();
      } catch (error) {
        await this.#fail(error);
      }
    }
  }

  /** What the run knows of the call. `undefined` where no tick has told of it. */
  get #record(): EffectRecord | undefined {
    return this.#attempt.item.memory?.get(this.#setup.call) as EffectRecord | undefined;
  }

  #stamp(): CallStamp {
    const { run, item, number } = this.#attempt;
    return { atMs: run.now(), item: item.id, attempt: number, call: this.#setup.call };
  }

  /** What a tick says of an attempt. */
  get #facts(): Pick<EffectOpened, "callAttempt" | "label"> {
    const { label } = this.#setup.policies;
    return { ...(this.#number > 1 && { callAttempt: this.#number }), ...(label !== undefined && { label }) };
  }

  async #try(): Promise<unknown> {
    const attempt = this.#attempt;
    const { call, key, policies } = this.#setup;
    const { limiter, timeoutMs } = policies;
    const granted = limiter === null ? null : limiter.acquire(attempt.signal);
    const release = granted instanceof Promise ? await granted : granted;
    const open = openEffect(attempt, call);
    let time: CallTime | null = null;
    let given: unknown;
    try {
      const stored = this.#begin();
      if (stored !== null) await stored;
      if (timeoutMs !== null) time = new CallTime(attempt, open, { key, number: this.#number, limitMs: timeoutMs });
      const answer = runInCall(open, () => this.#invoke(open, time));
      given = await (time === null ? answer : time.race(answer));
      open.open = false;
      attempt.assertAlive();
      if (open.refusal !== null) throw open.refusal;
      const end = endOf(attempt, open, given);
      if (end !== null) {
        const ended = endCall(attempt, { open, end, tick: () => this.#tick(), submitted: () => time?.stop() });
        return await (time === null ? ended : time.race(ended));
      }
    } finally {
      this.#isOver = true;
      open.open = false;
      time?.stop();
      release?.();
    }
    return this.#recordResult(given, open);
  }

  /** Returns a promise where the function waits until its beginning is stored: a policy counts every attempt. */
  #begin(): Promise<void> | null {
    const attempt = this.#attempt;
    const { run } = attempt;
    const { isPlain } = this.#setup.policies;
    attempt.assertAlive();
    this.#number = (this.#record?.attempts ?? 0) + 1;
    this.#beganAtMs = run.now();
    this.#isOpened = this.#isOver = false;
    if (isPlain) {
      if (run.journal !== null) afterThisTurn(this);
      return null;
    }
    const stored = run.commit(this.#opening()) ?? null;
    return (
      stored &&
      stored.then(() => {
        attempt.assertAlive();
        if (attempt.isFailing) throw attempt.signal.reason;
        this.#beganAtMs = run.now();
      })
    );
  }

  #opening(): EffectOpened {
    this.#isOpened = true;
    return { type: "effect.opened", ...this.#stamp(), ...this.#facts };
  }

  /** The turn of the host in which it has begun is over. */
  noteOpen(): void {
    if (!this.#isOpened && !this.#isOver && this.#attempt.ended === null) this.#attempt.run.submit(this.#opening());
  }

  #invoke(open: OpenCall, time: CallTime | null): unknown {
    const attempt = this.#attempt;
    const { key, effect, ctx, scope, step } = this.#setup;
    const { tracer } = attempt.run.host.inspector;
    const call: EffectCall<never> = {
      idempotencyKey: idempotencyKey(`${attempt.run.state.runId}:${attempt.item.id}`, scope, key),
      attempt: this.#number,
      get signal() {
        return time?.signal ?? attempt.signal;
      },
      sendEvent: (event, options) => runInSyncCall(open.ending ?? open, () => ctx.sendEvent(event, options)),
      writeEventToStream: (event) => runInSyncCall(open.ending ?? open, () => ctx.writeEventToStream(event)),
      finish: (edit) => beginEnd(attempt, open, edit) as never,
    };
    return tracer === null ? effect(call) : tracer.callEffect({ ...callOf(attempt, step), key }, () => effect(call));
  }

  /** What the tick of the result says of the call besides. */
  #tick(): Omit<EffectRecorded, "value"> {
    const stamp = this.#stamp();
    const elapsedMs = this.#elapsedMs(stamp.atMs);
    return {
      type: "effect.recorded",
      ...stamp,
      ...this.#facts,
      ...(!this.#isOpened && elapsedMs > 0 && { elapsedMs }),
    };
  }

  #elapsedMs(atMs: number): number {
    return Math.max(0, atMs - this.#beganAtMs); // the clock may have been set back
  }

  #recordResult(value: unknown, open: OpenCall): Promise<unknown> {
    const attempt = this.#attempt;
    const { run } = attempt;
    encodeValue(value, `run "${this.#setup.key}"`, run.host.compiled.values); // a value that cannot be stored is refused where it is made
    const tick: EffectRecorded = { ...this.#tick(), value: recall(attempt, value), ...partsOf(attempt, open) };
    run.prepare(tick);
    const answer = callsOf(attempt).expect(tick.call);
    run.submit(tick);
    return answer;
  }

  /** Resolves when the next attempt may begin; rejects when there is none. */
  async #fail(thrown: unknown): Promise<void> {
    const attempt = this.#attempt;
    const { run, item } = attempt;
    const { call, policies } = this.#setup;
    attempt.assertAlive();
    const failure = readable(thrown);
    // It has failed because the step ends, or the runtime stops.
    if (attempt.isFailing || run.journal?.isStopping?.(failure)) throw thrown;
    const stamp = this.#stamp();
    const { failures = 0, sinceMs = -1 } = this.#record ?? {};
    const { error, delayMs } = judge(policies.retry, {
      subject: `${run.state.runId} ${item.id} ${call}`,
      failures: failures + 1,
      elapsedMs: stamp.atMs - (sinceMs < 0 ? this.#beganAtMs : sinceMs),
      error: failure,
    });
    const tick: EffectFailed = {
      type: "effect.failed",
      ...stamp,
      ...this.#facts,
      error: recordError(error),
      retryAtMs: delayMs === null ? null : stamp.atMs + delayMs,
      elapsedMs: this.#elapsedMs(stamp.atMs),
    };
    run.prepare(tick);
    if (delayMs !== null && delayMs > 0) return this.#rest(tick);
    const answer = callsOf(attempt).expect(call);
    run.submit(tick);
    await answer;
  }

  /** Until the time of the next attempt, the step has no slot, and its run may leave memory. */
  async #rest(tick: EffectFailed | CallAwaited): Promise<void> {
    const attempt = this.#attempt;
    const answer = callsOf(attempt).expect(tick.call);
    attempt.pause();
    this.isResting = true;
    attempt.run.submit(tick);
    try {
      await answer;
    } finally {
      this.isResting = false;
    }
  }
}

/** The attempt, for tracers. */
export function callOf({ run, item, number }: AttemptCore, ctx: object): AttemptCall {
  return { runId: run.state.runId, tenant: run.journal?.tenant ?? "", item: item.id, attempt: number, ctx };
}
