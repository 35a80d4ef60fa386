/** Calls the function of `ctx.run`: what it is given, and what tracers hear of it. */
import type { Context, EffectCall } from "../../authoring/context.types.js";
import type { Finished } from "../../authoring/finished.types.js";
import type { AttemptCall } from "../../inspect/telemetry.types.js";
import { type OpenCall, runInSyncCall } from "../../state/edit-context.js";
import type { AttemptCore } from "../run.types.js";
import { beginEnd } from "./call-end.js";
import { idempotencyKey } from "./call-ids.js";
import type { CallPolicies } from "./call-policies.js";
import type { CallTime } from "./call-time.js";
import { writePiece } from "./piece-writer.js";

export type Effect<Result> = (
  call: EffectCall<never>,
) => Result | Finished<Result> | Promise<Result | Finished<Result>>;

/** What is used of the context that the step holds. */
export type EffectContext = Pick<Context, "sendEvent" | "writeEventToStream">;

interface EffectSetup {
  readonly key: string;
  readonly effect: Effect<unknown>;
  readonly policies: Pick<CallPolicies, "label">;
  readonly scope: string;
  readonly ctx: EffectContext;
  readonly step: object;
  /** Number of the attempt of the call. */
  readonly number: number;
  /** `null` without a time limit. */
  readonly time: CallTime | null;
}

export function callEffect(attempt: AttemptCore, open: OpenCall, setup: EffectSetup): unknown {
  const { key, effect, policies, scope, ctx, step, number, time } = setup;
  const call: EffectCall<never> = {
    idempotencyKey: idempotencyKey(`${attempt.run.state.runId}:${attempt.item.id}`, scope, key),
    attempt: number,
    get signal() {
      return time?.signal ?? attempt.signal;
    },
    sendEvent: (event, options) => runInSyncCall(open.ending ?? open, () => ctx.sendEvent(event, options)),
    writeEventToStream: (event) => runInSyncCall(open.ending ?? open, () => ctx.writeEventToStream(event)),
    write: (piece) => writePiece(attempt, open, piece),
    finish: (edit) => beginEnd(attempt, open, edit) as never,
  };
  const { tracer } = attempt.run.host.inspector;
  if (tracer === null) return effect(call);
  const { label } = policies;
  const facts = { ...callOf(attempt, step), key, callAttempt: number, ...(label !== undefined && { label }) };
  return tracer.callEffect(facts, () => effect(call));
}

/** The attempt, for tracers. */
export function callOf({ run, item, number }: AttemptCore, ctx: object): AttemptCall {
  return { runId: run.state.runId, tenant: run.journal?.tenant ?? "", item: item.id, attempt: number, ctx };
}
