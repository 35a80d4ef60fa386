/** The ticks of a call of `ctx.run`: what each says of the call, but for its label and which attempt of the call it is from. */
import type { EffectRecord } from "../../engine/state.js";
import type { EffectFailed, EffectRecorded } from "../../engine/tick.js";
import { judge } from "../../retry/judge.js";
import type { OpenCall } from "../../state/edit-context.js";
import { encodeValue } from "../../value/codec.js";
import { recordError } from "../../value/error-record.js";
import type { AttemptCore } from "../run.types.js";
import type { CallSetup } from "./call-effect.js";
import { recall } from "./calls.js";
import { takenBack } from "./piece-writer.js";

export function stampOf(
  { run, item, number }: AttemptCore,
  call: string,
): Pick<EffectRecorded, "atMs" | "item" | "attempt" | "call"> {
  return { atMs: run.now(), item: item.id, attempt: number, call };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE`: a result that cannot be stored is refused where it is made. */
export function recordingOf(attempt: AttemptCore, { key, call }: CallSetup, given: unknown): EffectRecorded {
  const { run, item, number } = attempt;
  encodeValue(given, `run "${key}"`, run.host.compiled.values);
  const value = recall(attempt, given);
  return { type: "effect.recorded", atMs: run.now(), item: item.id, attempt: number, call, value };
}

interface Failed {
  readonly failure: unknown;
  readonly open: OpenCall;
  readonly record: EffectRecord | undefined;
  /** When its attempt began; 0 where it is not known. */
  readonly beganAtMs: number;
}

/** With the time of the next attempt, as its policy says. */
export function failureOf(
  attempt: AttemptCore,
  { call, policies }: CallSetup,
  { failure, open, record, beganAtMs }: Failed,
): EffectFailed {
  const stamp = stampOf(attempt, call);
  const { failures = 0, sinceMs = -1 } = record ?? {};
  const { error, delayMs } = judge(policies.retry, {
    subject: `${attempt.run.state.runId} ${attempt.item.id} ${call}`,
    failures: failures + 1,
    elapsedMs: stamp.atMs - (sinceMs < 0 ? beganAtMs : sinceMs),
    error: failure,
  });
  return {
    type: "effect.failed",
    ...stamp,
    error: recordError(error),
    retryAtMs: delayMs === null ? null : stamp.atMs + delayMs,
    elapsedMs: beganAtMs === 0 ? 0 : Math.max(0, stamp.atMs - beganAtMs), // the clock may have been set back
    ...(open.hasShown && delayMs !== null && { written: takenBack(attempt) }),
  };
}
