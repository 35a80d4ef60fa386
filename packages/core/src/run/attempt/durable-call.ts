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
import { assertEndIs, beginEnd, CallEnd, endCall } from "./call-end.js";
import { idempotencyKey } from "./call-ids.js";
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
  #number = 0;
  #beganAtMs = 0;

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

  /** What the run knows of the call. `undefined` for one that has not begun, and for a first attempt that is not noted. */
  get #record(): EffectRecord | undefined {
    return this.#attempt.item.memory?.get(this.#setup.call) as EffectRecord | undefined;
  }

  #stamp(): Pick<EffectRecorded, "atMs" | "item" | "attempt" | "call"> {
    const { run, item, number } = this.#attempt;
    return { atMs: run.now(), item: item.id, attempt: number, call: this.#setup.call };
  }

  async #try(): Promise<unknown> {
    const attempt = this.#attempt;
    const { limiter } = this.#setup.policies;
    const granted = limiter === null ? null : limiter.acquire(attempt.signal);
    const release = granted instanceof Promise ? await granted : granted;
    const open = openEffect(attempt, this.#setup.call);
    let value: unknown;
    try {
      const begun = this.#begin();
      if (begun !== null) await begun;
      value = await this.#call(open);
    } finally {
      open.open = false;
      release?.();
    }
    return open.end === null ? this.#recordResult(value, open) : value;
  }

  /** Returns a promise where the function has to wait until its beginning is stored: every attempt of a policy counts. */
  #begin(): Promise<void> | null {
    const attempt = this.#attempt;
    const { run } = attempt;
    const { isPlain, label } = this.#setup.policies;
    attempt.assertAlive();
    this.#number = (this.#record?.attempts ?? 0) + 1;
    this.#beganAtMs = run.now();
    if (isPlain && run.journal === null) return null;
    const tick: EffectOpened = {
      type: "effect.opened",
      ...this.#stamp(),
      ...this.#numbered,
      ...(label !== undefined && { label }),
    };
    if (!isPlain) return this.#begun(run.commit(tick) ?? null);
    run.submit(tick);
    return null;
  }

  #begun(stored: Promise<void> | null): Promise<void> | null {
    if (stored === null) return null;
    const attempt = this.#attempt;
    return stored.then(() => {
      attempt.assertAlive();
      if (attempt.isFailing) throw attempt.signal.reason;
      this.#beganAtMs = attempt.run.now();
    });
  }

  get #numbered(): Pick<EffectOpened, "callAttempt"> | null {
    return this.#number > 1 ? { callAttempt: this.#number } : null;
  }

  /** Calls the function. A result of `call.finish` is recorded when it returns. */
  async #call(open: OpenCall): Promise<unknown> {
    const attempt = this.#attempt;
    const { policies, key } = this.#setup;
    const time =
      policies.timeoutMs === null
        ? null
        : new CallTime(attempt, open, { key, number: this.#number, limitMs: policies.timeoutMs });
    try {
      const outcome = this.#outcome(open, time);
      return await (time === null ? outcome : time.race(outcome));
    } finally {
      time?.stop();
    }
  }

  async #outcome(open: OpenCall, time: CallTime | null): Promise<unknown> {
    const attempt = this.#attempt;
    const given = await runInCall(open, () => this.#invoke(open, time));
    open.open = false;
    attempt.assertAlive();
    if (open.refusal !== null) throw open.refusal;
    if (open.end === null && !(given instanceof CallEnd)) return given;
    assertEndIs(attempt, open, given);
    return endCall(attempt, { open, stamp: this.#stamp(), submitted: () => time?.stop() });
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

  #recordResult(value: unknown, open: OpenCall): Promise<unknown> {
    const attempt = this.#attempt;
    const { run } = attempt;
    encodeValue(value, `run "${this.#setup.key}"`, run.host.compiled.values); // a value that cannot be stored is refused where it is made
    const tick: EffectRecorded = {
      type: "effect.recorded",
      ...this.#stamp(),
      value: recall(attempt, value),
      ...partsOf(attempt, open),
    };
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
      ...this.#numbered,
      error: recordError(error),
      retryAtMs: delayMs === null ? null : stamp.atMs + delayMs,
      elapsedMs: Math.max(0, stamp.atMs - this.#beganAtMs), // the clock may have been set back
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
