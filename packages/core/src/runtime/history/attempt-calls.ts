import type { CallRecord, EffectFailed, EffectOpened, EffectRecorded, Tick } from "../../host.js";
import type { ErrorRecord } from "../../value/error-record.js";
import type { CallStatus, RunCall } from "../api/history.types.js";

type Listed = { -readonly [Field in keyof RunCall]: RunCall[Field] };

/** A tick of a run, and its time. */
export interface Moment {
  readonly number: number;
  readonly atMs: number;
}

type Facts = Pick<EffectOpened | EffectFailed | EffectRecorded, "call" | "label" | "callAttempt">;

/** Calls of one attempt that are listed. */
const MAX_CALLS = 1_000;

/** The calls of `ctx.run` of one attempt, from its ticks. */
export class AttemptCalls {
  readonly listed: Listed[] = [];
  /** Number of calls that are not listed. */
  more = 0;
  readonly #open: Map<string, Listed> = new Map();
  readonly #unlisted: Set<string> = new Set();

  apply(tick: Tick, moment: Moment): void {
    switch (tick.type) {
      case "effect.opened":
        return this.#note(tick, moment, "running");
      case "effect.failed": {
        const isFinal = tick.retryAtMs === null;
        this.#note(tick, before(moment, tick.elapsedMs), isFinal ? "failed" : "waiting");
        const call = this.#open.get(tick.call);
        if (call !== undefined) call.error = { code: codeOf(tick.error), message: tick.error.message };
        if (isFinal) this.#close(tick.call, moment);
        return;
      }
      case "effect.recorded":
        this.#note(tick, before(moment, tick.elapsedMs), "completed");
        return this.#close(tick.call, moment);
      default:
    }
  }

  /** A call that an earlier attempt of the step has left, or that was at work where the known ticks begin. */
  takeOver(record: CallRecord, moment: Moment): void {
    if (record.kind !== "effect" || (record.status !== "open" && record.status !== "working")) return;
    const { call, label, attempts, lastError } = record;
    const tick = { call, callAttempt: attempts, ...(label !== undefined && { label }) };
    const began = { ...moment, atMs: record.openedAtMs };
    this.#note(tick, began, record.status === "open" ? "waiting" : "running");
    const listed = this.#open.get(call);
    if (listed !== undefined && lastError !== null)
      listed.error = { code: codeOf(lastError), message: lastError.message };
  }

  /** The attempt of the step has ended. */
  end(moment: Moment): void {
    for (const [id, call] of this.#open) {
      call.status = "interrupted";
      this.#close(id, moment);
    }
  }

  /** @param began When the call began, if it is new. */
  #note({ call, label, callAttempt }: Facts, began: Moment, status: CallStatus): void {
    const listed = this.#open.get(call) ?? this.#begin(call, label, began);
    if (listed === null) return;
    listed.status = status;
    listed.attempts = callAttempt ?? 1;
  }

  #begin(call: string, label: string | undefined, { number, atMs }: Moment): Listed | null {
    if (this.listed.length >= MAX_CALLS) {
      if (!this.#unlisted.has(call)) this.more++;
      this.#unlisted.add(call);
      return null;
    }
    const listed: Listed = {
      call,
      ...(label !== undefined && { label }),
      startedAtMs: atMs,
      startedTick: number,
      endedAtMs: null,
      endedTick: null,
      status: "running",
      attempts: 1,
      error: null,
    };
    this.listed.push(listed);
    this.#open.set(call, listed);
    return listed;
  }

  #close(id: string, { number, atMs }: Moment): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    call.endedAtMs = atMs;
    call.endedTick = number;
    this.#open.delete(id);
  }
}

function before({ number, atMs }: Moment, elapsedMs: number = 0): Moment {
  return { number, atMs: atMs - elapsedMs };
}

/** Only a `WorkflowError` has a hint; other errors may have their own codes. */
export function codeOf({ code, hint }: ErrorRecord): string {
  return hint !== undefined && code !== undefined ? code : "STEP_FAILED";
}
