/**
 * The attempts of a run and its children, computed from its ticks: the same `reduce` that ran them shows when each began, what it
 * waited for and how it ended.
 *
 * @module
 */

import {
  type AppliedTick,
  type CallRecord,
  type DoneBy,
  type EffectFailed,
  type EffectOpened,
  type EffectRecorded,
  type Member,
  type Tick,
  type WorkItem,
  waitKinds,
} from "../../host.js";
import type { ErrorRecord } from "../../value/error-record.js";
import type { AttemptStatus, AttemptWait, CallStatus, RunAttempt, RunCall } from "../api/history.types.js";
import { type LoadFrom, loadTree } from "../worker/load/load.js";
import { isWithin, type PastTick, sinceKept, type Timeline, ticksThrough } from "./history.js";

type Mutable<Type> = { -readonly [Field in keyof Type]: Type[Field] };

interface Listed extends Omit<Mutable<RunAttempt>, "waits" | "calls" | "moreCalls"> {
  readonly waits: Mutable<AttemptWait>[];
}

interface OpenWait {
  readonly wait: Mutable<AttemptWait>;
  readonly record: Extract<CallRecord, { readonly status: string }>;
}

interface OpenAttempt {
  readonly listed: Listed;
  readonly item: WorkItem;
  /** Everything that it has waited for. */
  readonly waits: OpenWait[];
  readonly calls: AttemptCalls;
}

/** Attempts that were started after a tick, in that order; each is returned as soon as all before it have ended. */
export function attemptsOf(
  from: LoadFrom,
  { after, limit }: { readonly after: number; readonly limit: number },
): AsyncGenerator<RunAttempt, void> {
  return sinceKept(from, async function* (first) {
    const start = Math.max(after, first - 1);
    const timeline = await loadTree(from, start);
    const attempts = new Attempts(limit);
    if (start > after) attempts.takeOver(timeline);
    for await (const tick of ticksThrough(from, timeline)) {
      attempts.apply(tick);
      yield* attempts.ended();
      if (attempts.isDone) return;
    }
    yield* attempts.rest();
  });
}

class Attempts {
  readonly #limit: number;
  readonly #open: Map<string, OpenAttempt> = new Map();
  readonly #waiting: Set<OpenWait> = new Set();
  /** Attempts in the order in which they began, without those that were returned. */
  #listed: OpenAttempt[] = [];
  #count = 0;
  #lastStarted = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `true` if the requested number of attempts was returned. */
  get isDone(): boolean {
    return this.#count >= this.#limit && this.#listed.length === 0;
  }

  /** Adds the attempts that were running where the kept ticks begin. The start is known of first attempts only. */
  takeOver({ tree, ticks: number }: Timeline): void {
    for (const member of tree.members.values()) {
      const { atMs } = member.state;
      for (const item of member.state.items.values()) {
        if (!isAtWork(item)) continue;
        const startedAtMs = item.attempt === 1 ? item.firstStartedAtMs : atMs;
        const open = this.#begin(member, item, { number, atMs: startedAtMs });
        for (const record of item.calls?.values() ?? []) {
          open?.calls.takeOver(record, { number, atMs });
          if (open !== null && "awaitedIn" in record && record.awaitedIn === item.attempt)
            this.#wait(open, record, { number, atMs });
        }
      }
    }
  }

  apply({ number, applied }: PastTick): void {
    const { tick, member, item, isOfAttempt, commands } = applied;
    const moment = { number, atMs: member.state.atMs };
    if ((tick.type === "run.resumed" || tick.type === "run.retried") && !applied.isRefused)
      this.#endAll((id) => id === member.state.runId, { moment, status: "restarted" });
    if (item !== null && isOfAttempt) this.#ofItem(member, item, { tick, moment });
    for (const command of commands) {
      if (command.type === "attempt.end")
        this.#end(member, command.item, { moment, status: "cancelled", isFinal: true });
      else if (command.type === "child.cancel")
        this.#endAll((id) => isWithin(id, command.runId), { moment, status: "cancelled", isFinal: true });
      else if (command.type === "run.finish") {
        const isFinal = command.outcome.status === "completed";
        this.#endAll((id) => isWithin(id, member.state.runId), { moment, status: "cancelled", isFinal });
      }
    }
    for (const command of commands) {
      if (command.type !== "attempt.start") continue;
      const started = member.state.items.get(command.item);
      if (started !== undefined && isAtWork(started)) this.#begin(member, started, moment);
    }
    const by = doneBy(applied);
    for (const open of this.#waiting) {
      if (open.record.status === "open") continue;
      if (by !== null && open.wait.promptId === by.promptId) open.wait.by = by.by;
      this.#answered(open, moment);
    }
  }

  /** Attempts that have ended, up to the first that has not. */
  *ended(): Generator<RunAttempt, void> {
    let count = 0;
    while (count < this.#listed.length && this.#listed[count]?.listed.endedTick !== null) count++;
    for (const open of this.#listed.splice(0, count)) yield whole(open);
  }

  /** All other attempts, as they are now. */
  *rest(): Generator<RunAttempt, void> {
    for (const open of this.#listed) {
      const { listed, item } = open;
      if (listed.endedTick === null) listed.status = statusOf(item);
      yield whole(open);
    }
    this.#listed = [];
  }

  #begin(member: Member, item: WorkItem, { number, atMs }: Moment): OpenAttempt | null {
    // One tick may start many attempts: a caller who continues later does so after the tick.
    if (this.#count >= this.#limit && number > this.#lastStarted) return null;
    const key = keyOf(member, item.id);
    if (this.#open.get(key)?.listed.attempt === item.attempt) return null;
    const listed: Listed = {
      runId: member.state.runId,
      workflow: member.compiled.name,
      step: item.step,
      item: item.id,
      attempt: item.attempt,
      startedAtMs: atMs,
      startedTick: number,
      endedAtMs: null,
      endedTick: null,
      status: "running",
      error: null,
      isFinal: false,
      retryAtMs: null,
      eventType: item.input.kind === "event" ? item.input.event.type : null,
      waits: [],
    };
    const open = { listed, item, waits: [], calls: new AttemptCalls() };
    this.#open.set(key, open);
    this.#listed.push(open);
    this.#count++;
    this.#lastStarted = number;
    return open;
  }

  #ofItem(member: Member, item: WorkItem, { tick, moment }: { readonly tick: Tick; readonly moment: Moment }): void {
    switch (tick.type) {
      case "step.completed":
        return this.#end(member, item.id, { moment, status: "completed", isFinal: true, ran: tick.elapsedMs });
      case "step.failed": {
        const { retryAtMs, error, elapsedMs: ran } = tick;
        const isFinal = retryAtMs === null;
        const status = isFinal ? "failed" : "retrying";
        return this.#end(member, item.id, { moment, status, isFinal, ran, failed: { error, retryAtMs } });
      }
      case "wait.opened":
      case "sleep.opened":
      case "child.opened":
      case "call.awaited":
      case "effect.opened":
      case "effect.failed":
      case "effect.recorded": {
        const record = item.calls?.get(tick.call);
        const open = this.#open.get(keyOf(member, item.id));
        if (open === undefined || record === undefined) return;
        if (tick.type === "call.awaited") open.calls.takeOver(record, moment);
        else open.calls.apply(tick, moment);
        return this.#wait(open, record, moment);
      }
      default:
    }
  }

  #wait(of: OpenAttempt, record: CallRecord, { number, atMs }: Moment): void {
    if (!("status" in record) || record.status !== "open") return;
    if (of.waits.some((known) => known.record === record && known.wait.toMs === null)) return;
    const wait: Mutable<AttemptWait> = {
      kind: waitKinds[record.kind],
      fromMs: atMs,
      fromTick: number,
      toMs: null,
      toTick: null,
      ...(record.kind === "wait" && record.promptId !== null && { promptId: record.promptId }),
      ...(record.kind !== "child" && record.dueAtMs !== null && { untilMs: record.dueAtMs }),
      ...(record.kind === "child" && { runId: record.runId }),
    };
    of.listed.waits.push(wait);
    const waiting = { wait, record };
    of.waits.push(waiting);
    this.#waiting.add(waiting);
  }

  #answered(open: OpenWait, { number, atMs }: Moment): void {
    open.wait.toMs = atMs;
    open.wait.toTick = number;
    this.#waiting.delete(open);
  }

  #endAll(isMeant: (runId: string) => boolean, ending: Ending): void {
    for (const [key, open] of this.#open) if (isMeant(open.listed.runId)) this.#close(key, open, ending);
  }

  #end(member: Member, item: number, ending: Ending): void {
    const key = keyOf(member, item);
    const open = this.#open.get(key);
    if (open !== undefined) this.#close(key, open, ending);
  }

  #close(key: string, open: OpenAttempt, { moment, status, isFinal = false, ran, failed }: Ending): void {
    const { listed } = open;
    this.#open.delete(key);
    listed.endedAtMs = moment.atMs;
    listed.endedTick = moment.number;
    listed.status = status;
    listed.isFinal = isFinal;
    if (ran !== undefined) listed.startedAtMs = moment.atMs - ran;
    if (failed !== undefined) {
      listed.retryAtMs = failed.retryAtMs;
      listed.error = factsOf(failed.error);
    }
    open.calls.end(moment);
    for (const waiting of open.waits) if (waiting.wait.toMs === null) this.#answered(waiting, moment);
  }
}

interface Ending {
  readonly moment: Moment;
  readonly status: AttemptStatus;
  readonly isFinal?: boolean;
  /** How long it has run, in milliseconds. */
  readonly ran?: number | undefined;
  readonly failed?: { readonly error: ErrorRecord; readonly retryAtMs: number | null };
}

/** Returns who answered which prompt with this tick. */
function doneBy({ tick }: AppliedTick): { readonly promptId: string; readonly by: DoneBy } | null {
  if (tick.type !== "event.received" || tick.promptId === null || tick.by === undefined) return null;
  return { promptId: tick.promptId, by: tick.by };
}

function isAtWork({ status }: WorkItem): boolean {
  return status === "running" || status === "suspended" || status === "resuming";
}

function statusOf({ status }: WorkItem): AttemptStatus {
  return status === "suspended" ? "waiting" : status === "resuming" ? "queued" : "running";
}

function keyOf({ state }: Member, item: number): string {
  return `${item} ${state.runId}`;
}

function whole({ listed, calls }: OpenAttempt): RunAttempt {
  return { ...listed, calls: calls.listed, moreCalls: calls.more };
}

type ListedCall = Mutable<RunCall>;

/** A tick of a run, and its time. */
interface Moment {
  readonly number: number;
  readonly atMs: number;
}

type Facts = Pick<EffectOpened | EffectFailed | EffectRecorded, "call" | "label" | "callAttempt">;

/** Calls of one attempt that are listed. */
const MAX_CALLS = 1_000;

/** The calls of `ctx.run` of one attempt, from its ticks. */
class AttemptCalls {
  readonly listed: ListedCall[] = [];
  /** Number of calls that are not listed. */
  more = 0;
  readonly #open: Map<string, ListedCall> = new Map();
  readonly #unlisted: Set<string> = new Set();

  apply(tick: Tick, moment: Moment): void {
    switch (tick.type) {
      case "effect.opened":
        return this.#note(tick, moment, "running");
      case "effect.failed": {
        const isFinal = tick.retryAtMs === null;
        this.#note(tick, before(moment, tick.elapsedMs), isFinal ? "failed" : "waiting");
        const call = this.#open.get(tick.call);
        if (call !== undefined) call.error = factsOf(tick.error);
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
    if (listed !== undefined && lastError !== null) listed.error = factsOf(lastError);
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

  #begin(call: string, label: string | undefined, { number, atMs }: Moment): ListedCall | null {
    if (this.listed.length >= MAX_CALLS) {
      if (!this.#unlisted.has(call)) this.more++;
      this.#unlisted.add(call);
      return null;
    }
    const listed: ListedCall = {
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

function factsOf({ code, hint, message }: ErrorRecord): NonNullable<RunCall["error"]> {
  // Only a `WorkflowError` has a hint; other errors may have their own codes.
  const isOurs = hint !== undefined && code !== undefined;
  return { code: isOurs ? code : "STEP_FAILED", message };
}
