/**
 * `return call.finish(edit)`: a call of `ctx.run` ends with an edit, its result and what it has sent in one tick, all or none of it.
 *
 * @module
 */

import type { Context, EffectCall } from "../../authoring/context.types.js";
import type { Finished } from "../../authoring/trigger.types.js";
import { optionalModules } from "../../engine/optional-modules.js";
import type { EffectRecord } from "../../engine/state.js";
import type { EffectRecorded } from "../../engine/tick.js";
import { invalidResult } from "../../errors/workflow-error.js";
import type { AttemptCall } from "../../inspect/inspector.js";
import { type OpenCall, openCall, runInSyncCall } from "../../state/edit-context.js";
import { withoutDrafts } from "../../state/finish-draft.js";
import { isThenable } from "../../value/kind.js";
import type { AttemptCore } from "../live-run.js";
import { idempotencyKey } from "./call-ids.js";
import { callsOf } from "./calls.js";
import type { CallPolicies, CallTime } from "./check-calls.js";
import { endLost, endOfAnother, isAsync, noCallback } from "./finish-step.js";
import { partsOf } from "./open-call.js";
import { writePiece } from "./piece-writer.js";

/** The result of `call.finish`, valid for the attempt of the call that made it. */
export class CallEnd {
  readonly edit: (draft: never) => unknown;

  constructor(edit: (draft: never) => unknown) {
    this.edit = edit;
  }
}

/** @throws {WorkflowError} `STEP_RESULT_INVALID` for a second one, `OPTION_INVALID` for an argument that is not a function, `ATTEMPT_ENDED`. */
function beginEnd(attempt: AttemptCore, open: OpenCall, edit: (draft: never) => unknown): CallEnd {
  attempt.assertAlive();
  const { step } = attempt;
  if (open.fault !== null) throw open.fault;
  if (typeof edit !== "function") throw noCallback(step, "call.finish", edit);
  if (open.end !== null) throw invalidResult(step, "called `call.finish` twice", "A call ends once: call it once.");
  const end = new CallEnd(edit);
  open.end = end;
  return end;
}

/**
 * The result of `call.finish`, if the function has returned it; `null` for another result.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID` where an edit would be lost silently.
 */
export function endOf({ step }: AttemptCore, { end }: OpenCall, given: unknown): CallEnd | null {
  if (end === given) return end as CallEnd;
  if (end === null && !(given instanceof CallEnd)) return null;
  if (given instanceof CallEnd) throw endOfAnother(step, "call.finish", "call");
  throw endLost(step, "call.finish");
}

interface EndingCall {
  readonly open: OpenCall;
  readonly end: CallEnd;
  /** The tick of its result. @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
  recording(result: unknown, parts: Partial<EffectRecorded>): EffectRecorded;
  /** Called when nothing can keep it from being recorded but the end of the attempt. */
  submitted(): void;
}

/** Makes the edit in its turn, nearly always at once. Resolves with the result once all of it is stored. */
export function endCall(attempt: AttemptCore, ending: EndingCall): Promise<unknown> {
  const { run, item, step } = attempt;
  const { open, end } = ending;
  const call = open.call as string;
  const cell = run.store();
  const inside = openCall("call.finish", { call, cell, token: attempt, outer: open.outer });
  inside.counts = open.counts;
  const answer = callsOf(attempt).expect(call);
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject);
    cell.finish({
      run,
      token: attempt,
      call: inside,
      edit(draft) {
        open.ending = inside;
        const result = end.edit(draft);
        open.ending = null;
        if (isThenable(result)) throw isAsync(step, "call.finish", result);
        return withoutDrafts(result);
      },
      direct: null,
      isOver: () => attempt.ended !== null || open.fault !== null,
      submit(result, change, onStored) {
        const shown = inside.shown as Required<EffectRecorded>["shown"] | null;
        const tick = ending.recording(result, {
          ...(change !== null && { change }),
          ...(shown !== null && { shown }),
          ...partsOf(attempt, open, [...(open.sends ?? []), ...(inside.sends ?? [])]),
        });
        run.prepare(tick);
        ending.submitted();
        run.submit(tick, change === null ? undefined : onStored);
        return optionalModules.fanOuts?.canEndAlone(run.host.routing, item) !== true;
      },
      fail: reject,
    });
  });
}

// ---- calls the function of `ctx.run`: what it is given, and what tracers hear of it

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
