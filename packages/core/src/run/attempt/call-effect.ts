/** Calls the function of `ctx.run`: what it is given, and what tracers hear of it. */
import type { Context, EffectCall } from "../../authoring/context.types.js";
import type { Finished } from "../../authoring/finished.types.js";
import type { EffectRecord } from "../../engine/state.js";
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

export interface CallSetup {
  /** Call id in the work item. */
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

/** One attempt of a call, while its function is at work. */
interface Working {
  readonly attempt: AttemptCore;
  readonly open: OpenCall;
  readonly setup: CallSetup;
  /** Number of the attempt of the call. */
  readonly number: number;
  /** `null` without a time limit. */
  readonly time: CallTime | null;
}

export function callEffect(working: Working): unknown {
  const { attempt, setup, number } = working;
  const { key, effect, policies, step } = setup;
  const given = argumentOf(working);
  const { tracer } = attempt.run.host.inspector;
  if (tracer === null) return effect(given);
  const { label } = policies;
  const facts = {
    ...callOf(attempt, step),
    call: setup.call,
    key,
    callAttempt: number,
    ...(label !== undefined && { label }),
  };
  return tracer.callEffect(facts, () => effect(given), given);
}

/** The argument of the function. Plain fields, so that it can be spread and its methods taken out of it. */
function argumentOf({ attempt, open, setup, number, time }: Working): EffectCall<never> {
  const { call, ctx, key, scope } = setup;
  return {
    attempt: number,
    override: (attempt.item.calls?.get(call) as EffectRecord | undefined)?.override,
    idempotencyKey: idempotencyKey(`${attempt.run.state.runId}:${attempt.item.id}`, scope, key),
    signal: (time ?? attempt).signal,
    sendEvent: (event, options) => runInSyncCall(open.ending ?? open, () => ctx.sendEvent(event, options)),
    writeEventToStream: (event) => runInSyncCall(open.ending ?? open, () => ctx.writeEventToStream(event)),
    write: (piece) => writePiece(attempt, open, piece),
    finish: (edit) => beginEnd(attempt, open, edit) as never,
  };
}

/** The attempt, for tracers. */
export function callOf({ run, item, number }: AttemptCore, ctx: object): AttemptCall {
  return { runId: run.state.runId, tenant: run.journal?.tenant ?? "", item: item.id, attempt: number, ctx };
}
