/**
 * The calls of one attempt, matched with the recorded calls of its work item: finished calls are not repeated.
 *
 * @module
 */

import type { CompiledWorkflow } from "../../compile/compile.js";
import type { Clock } from "../../engine/ports.js";
import { isOpen } from "../../engine/reduce/items.js";
import type { CallRecord, WorkItem } from "../../engine/state.js";
import { type NamedStep, stepError, WorkflowError } from "../../errors/workflow-error.js";
import { AnswerEvent } from "../../event/built-in-events.js";
import type { WorkflowEvent } from "../../event/event.js";
import { type CallPromise, callAround } from "../../state/edit-context.js";
import { Deferred } from "../../system/deferred.js";
import { afterTurn, isTurnOver } from "../../system/system.js";
import { copyValue } from "../../value/copy.js";
import { type ErrorRecord, reviveError } from "../../value/error-record.js";
import { isError } from "../../value/kind.js";
import { resultOfStop } from "../outcome.js";
import { idOf, insideCall, isInsideCall, isOfKind } from "./call-ids.js";

/** The part of an attempt that calls need. */
export interface Calling {
  readonly run: { readonly host: { readonly compiled: CompiledWorkflow; readonly ports: { readonly clock: Clock } } };
  readonly step: NamedStep;
  readonly item: Pick<WorkItem, "calls">;
  settle(call: string): void;
  /** A function has begun or ended. */
  noteWork(): void;
}

/** A call with a function. The attempt does not end before it. */
export interface EffectPhase {
  readonly promise: CallPromise<unknown>;
  /** `true` if it waits for its next attempt, and its run may leave memory. */
  isResting: boolean;
}

/** The calls of an attempt, from the first on. */
export function callsOf(attempt: Calling & { calls: Calls | null }): Calls {
  attempt.calls ??= new Calls(attempt);
  return attempt.calls;
}

export class Calls {
  readonly #attempt: Calling;
  readonly #occurrences: Map<string, number> = new Map();
  #open: Map<string, Deferred<unknown>> | null = null;
  /** `true` if no call was recorded before the first one of this attempt. */
  readonly #isFirst: boolean;
  /** Calls whose functions are at work; `null` before the first. */
  atWork: Map<unknown, EffectPhase> | null = null;
  #resting = 0;
  /** Calls that a record is about to answer. */
  #recalling: Set<string> | null = null;
  /** The order in which recorded calls were answered, as far as this attempt has repeated them. */
  #places: Map<string, number> | null = null;
  /** Calls whose signal has aborted, while the tick that closes them is on its way. */
  #closing: Set<string> | null = null;

  constructor(attempt: Calling) {
    this.#attempt = attempt;
    this.#isFirst = attempt.item.calls === null;
  }

  /** The id of this call: its name, with the number of earlier calls of this name. */
  id(given: string): string {
    const name = this.#inside(given);
    const counts = this.#counts();
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return idOf(name, count);
  }

  /** Notes a name that the attempt may use once. Returns `false` if it has used it. */
  use(given: string): boolean {
    const name = this.#inside(given);
    const counts = this.#counts();
    if (counts.has(name)) return false;
    counts.set(name, 1);
    return true;
  }

  /**
   * Returns the record that an earlier attempt left of a call of `ctx.run`; `null` if this attempt has already made a call
   * with this id. Where the record shows what the attempt has done, there is no second list of it.
   */
  once(call: string): CallRecord | null | undefined {
    const known = this.record(call);
    if (!this.#isFirst) return this.use(call) ? known : null;
    return known !== undefined || this.atWork?.has(call) === true ? null : undefined;
  }

  begin(work: unknown, phase: EffectPhase): void {
    this.atWork ??= new Map();
    this.atWork.set(work, phase);
    this.#attempt.noteWork();
  }

  over(work: unknown): void {
    this.atWork?.delete(work);
    this.#attempt.noteWork();
  }

  /** The call begins, or ends, to wait for its next attempt. */
  rest(phase: EffectPhase, isResting: boolean): void {
    phase.isResting = isResting;
    this.#resting += isResting ? 1 : -1;
    this.#attempt.noteWork();
  }

  /** `true` if a function is at work, whatever else the step waits for. */
  get isWorking(): boolean {
    return (this.atWork?.size ?? 0) > this.#resting;
  }

  /** The result of an earlier attempt, or of this one. */
  record(call: string): CallRecord | undefined {
    return this.#attempt.item.calls?.get(call);
  }

  /** Returns whether the last call of that name still waits for its answer. */
  isOpen(given: string): boolean {
    const name = this.#inside(given);
    const call = idOf(name, (this.#counts().get(name) ?? 0) - 1);
    return this.isAwaited(call) && this.#closing?.has(call) !== true;
  }

  /** Returns whether this attempt awaits the answer of a call. */
  isAwaited(call: string): boolean {
    return this.#open?.has(call) === true;
  }

  /** Notes that the call is about to be closed: the next call with its name need not differ from it. */
  noteClosing(call: string): void {
    this.#closing ??= new Set();
    this.#closing.add(call);
  }

  isClosed(call: string): boolean {
    const record = this.record(call);
    return record !== undefined && "status" in record && record.status === "closed";
  }

  /** Returns the counts of calls by name. Calls made inside another call are counted per attempt of that call. */
  #counts(): Map<string, number> {
    const around = callAround(this.#attempt);
    return around === null ? this.#occurrences : (around.counts ??= new Map());
  }

  #inside(name: string): string {
    return insideCall(callAround(this.#attempt)?.call ?? null, name);
  }

  /** Settles when the reducer answers the call. */
  expect(call: string): Promise<unknown> {
    this.#open ??= new Map();
    const known = this.#open.get(call);
    if (known) return known.promise;
    const deferred = new Deferred<unknown>();
    this.#open.set(call, deferred);
    return deferred.promise;
  }

  /** Recorded answers come in their original order, so a race has the same winner again. */
  recall(call: string): Promise<unknown> {
    const answer = this.expect(call);
    if (this.#recalling === null) {
      this.#recalling = new Set([call]);
      queueMicrotask(() => this.#answerInTurn());
    } else this.#recalling.add(call);
    return answer;
  }

  /** A live answer must not come first: a recorded one is delivered only while no other call is awaited. */
  #answerInTurn(): void {
    const { clock } = this.#attempt.run.host.ports;
    if (this.#open?.size === this.#recalling?.size && isTurnOver(clock.now()))
      afterTurn(clock, () => this.#answerRecalled());
    else this.#answerRecalled();
  }

  #answerRecalled(): void {
    const recalled = [...(this.#recalling ?? [])];
    this.#recalling = null;
    // Code that makes one call after the other recalls one at a time, so the order of records is rarely looked up.
    if (recalled.length > 1) this.#sortByAnswer(recalled);
    for (const call of recalled) this.#attempt.settle(call);
  }

  #sortByAnswer(calls: string[]): void {
    let known = this.#places;
    if (known === null || calls.filter((call) => !known?.has(call)).length > 1)
      known = this.#places = this.#placesOfAnswers();
    const last = known.size;
    const placeOf = (call: string): number => known.get(call) ?? last;
    calls.sort((one, other) => placeOf(one) - placeOf(other));
  }

  /** Answered calls only: their order is final. */
  #placesOfAnswers(): Map<string, number> {
    const known = new Map<string, number>();
    for (const [call, record] of this.#attempt.item.calls ?? []) if (!isOpen(record)) known.set(call, known.size);
    return known;
  }

  settle(call: string): void {
    const deferred = this.#open?.get(call);
    if (deferred === undefined) return;
    const record = this.record(call);
    if (record === undefined) return;
    this.#open?.delete(call);
    this.#closing?.delete(call);
    settleWith(this.#attempt, deferred, record);
  }

  /** Sets that are being collected: their events count already. */
  collecting(): readonly Promise<unknown>[] {
    return [...(this.#open ?? [])].filter(([call]) => isOfKind("collect", call)).map(([, { promise }]) => promise);
  }

  get isCollecting(): boolean {
    return this.isWaiting && this.collecting().length > 0;
  }

  /** `true` if a call is still open. */
  get isWaiting(): boolean {
    return this.#open !== null && this.#open.size > 0;
  }

  rejectAll(error: unknown): void {
    for (const deferred of this.#open?.values() ?? []) deferred.reject(error);
    this.#open = null;
  }

  /** Records that this attempt has not used: its code took another way. */
  unasked(): string[] {
    if (this.#isFirst) return [];
    const asked = new Set<string>();
    for (const [name, count] of this.#occurrences)
      for (let index = 0; index < count; index++) asked.add(idOf(name, index));
    // Calls inside of another call are not repeated once that one is recorded.
    return [...(this.#attempt.item.calls?.keys() ?? [])].filter((call) => !asked.has(call) && !isInsideCall(call));
  }
}

/** Returns a copy, so that the step cannot change the record. */
export function recall(attempt: Calling, value: unknown): unknown {
  return copyValue(value, attempt.run.host.compiled.values);
}

function settleWith(attempt: Calling, deferred: Deferred<unknown>, record: CallRecord): void {
  if ("status" in record && record.status === "closed")
    return deferred.reject(record.reason === undefined ? lostRace() : reviveError(record.reason));
  switch (record.kind) {
    case "wait":
      if (record.status === "resolved") deferred.resolve(record.event);
      else deferred.reject(waitTimedOut(attempt, record.accepts[0] ?? ""));
      return;
    case "effect":
      if (record.status === "failed") deferred.reject(reviveError(record.lastError as ErrorRecord));
      else deferred.resolve(undefined);
      return;
    case "run":
      return deferred.resolve(recall(attempt, record.value));
    case "set":
      return deferred.resolve(record.events && [...record.events]);
    case "child":
      if (record.status === "completed") deferred.resolve(resultOfStop(record.result as WorkflowEvent));
      else
        deferred.reject(
          childFailed(record.name, record.runId, record.error === null ? undefined : reviveError(record.error)),
        );
      return;
    default:
      return deferred.resolve(undefined);
  }
}

/** Returns the reason with which the calls of a race are closed. */
export function lostRace(): DOMException {
  return new DOMException("Another racer of `ctx.race` has settled first.", "AbortError");
}

function waitTimedOut({ step }: Calling, type: string): WorkflowError {
  return stepError(step, {
    code: "WAIT_TIMED_OUT",
    what: `has waited for ${type === AnswerEvent.type ? "an answer" : type} until the wait timed out`,
    hint: "Catch it, or raise `timeout` of the wait.",
    details: { event: type },
  });
}

function childFailed(name: string, runId: string, cause: unknown): WorkflowError {
  const reason = isError(cause) ? cause.message : String(cause);
  return new WorkflowError({
    code: "CHILD_FAILED",
    message: `The child "${name}" (run "${runId}") has failed: ${reason}`,
    hint: "See `cause`. A retry of the step starts a new child.",
    details: { child: name, runId },
    cause,
  });
}
