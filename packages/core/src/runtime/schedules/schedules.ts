/** `runtime.schedules`: schedules as their users set and read them. */
import { WorkflowError } from "../../errors/workflow-error.js";
import { decodeEvent, encodeEvent, limitsOf, resolveStart } from "../../host.js";
import { systemIds } from "../../system/system.js";
import { oneOf } from "../../value/option-rules.js";
import { integerIn, optionsOf, pageSize, refuseOptions } from "../../value/options.js";
import type { AuditAction } from "../api/history.types.js";
import type { CallerOptions, TenantOptions } from "../api/run-filter.types.js";
import type {
  RuntimeSchedules,
  Schedule,
  ScheduleChangeOptions,
  ScheduleEdit,
  ScheduleList,
  ScheduleOptions,
  ScheduleQuery,
} from "../api/schedule.types.js";
import { auditWrites } from "../audit/audit-entry.js";
import {
  byOf,
  checkCallOptions,
  checkNames,
  given,
  nameProblem,
  type ResolvedQueue,
  ticketProblems,
  toTicket,
} from "../options/call-options.js";
import type { CommitResult, RecordKey, RecordWrite, RunCommit, RunStore } from "../store/run-store.types.js";
import type { DueEntry } from "../tasks/scheduled-tasks.js";
import { createOnly, newRun } from "../worker/commit/commit.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";
import {
  type Editable,
  edit,
  MOST_MISSED,
  nextAfter,
  nextDates,
  occurrenceId,
  planMoves,
  type ReadSchedule,
  readSchedule,
  type ScheduleMove,
  type ScheduleState,
  type StoredSchedule,
  said,
  scheduleDeletion,
  scheduleKey,
  scheduleOf,
  scheduleWrites,
  setAgain,
  timetableProblems,
  toSchedule,
} from "./stored-schedule.js";

/** A move as it is written. */
interface Written {
  /** Commit that starts a run; `null` if no run starts. */
  readonly start: RunCommit | null;
  readonly writes: readonly RecordWrite[];
}

interface Starting {
  readonly schedule: StoredSchedule;
  readonly tenant: string;
  readonly atMs: number;
  /** @default the id of the occurrence */
  readonly runId?: string;
}

/**
 * Starts what is due of one schedule. Returns when it occurs next; null: it does not.
 *
 * @throws {WorkflowError} What keeps its input from being read by the code that is here.
 */
export async function fireSchedule(setup: RuntimeParts, { tenant, id }: DueEntry): Promise<number | null> {
  const { store, clock, log } = setup;
  const key = scheduleKey(tenant, id);
  for (;;) {
    const read = await readSchedule(store, key);
    if (read === null || read.schedule.paused) return null;
    const { state, catchUp } = read.schedule;
    const moves = planMoves(read.schedule, state, {
      nowMs: clock.now(),
      isUnderWay: await isUnderWay(store, tenant, read),
    });
    if (moves.length === 0) return state.nextAtMs;
    await writeMoves(setup, written(setup, key, { read, moves }));
    const isTrimmed = moves[0]?.state.skips.some(({ atMs, reason }) => reason === "missed" && atMs === state.nextAtMs);
    if (catchUp === "all" && isTrimmed)
      log.info(`Schedule "${id}" missed more than ${MOST_MISSED} occurrences: only the last ${MOST_MISSED} start.`);
  }
}

async function isUnderWay(store: RunStore, tenant: string, { schedule }: ReadSchedule): Promise<boolean> {
  const { overlap, state } = schedule;
  if (overlap === "allow" || state.last === null) return false;
  const run = await store.run({ tenant, runId: state.last.runId });
  return run !== null && run.outcome === null;
}

/** Each on top of the one before it. */
function written(
  setup: RuntimeParts,
  key: RecordKey,
  { read, moves }: { readonly read: ReadSchedule; readonly moves: readonly ScheduleMove[] },
): Written[] {
  let before = read;
  return moves.map(({ startAtMs: atMs, state }) => {
    const { schedule } = before;
    const { written: after, writes } = scheduleWrites(setup.store, key, { before, after: { ...schedule, state } });
    before = after;
    return { start: atMs === null ? null : startOf(setup, { schedule, tenant: key.tenant, atMs }), writes };
  });
}

/** Stops at the first write that another process has made already: the caller then reads again. */
async function writeMoves({ store }: RuntimeParts, moves: readonly Written[]): Promise<void> {
  const commits = moves.flatMap(({ start, writes }) => (start === null ? [] : [{ ...start, records: writes }]));
  const results: CommitResult[] = commits.length === 0 ? [] : await store.commit(commits);
  const refused = results.findIndex(({ status }) => status !== "stored");
  // There is a run of that id, of a schedule of that name that was deleted: the occurrence has had its run.
  if (results[refused]?.status === "exists") await store.writeRecords(commits[refused]?.records ?? []);
  for (const { start, writes } of moves) if (start === null) await store.writeRecords(writes);
}

/** No caller waits for the runs of a schedule, and the audit names its changes and not its runs. */
const unattended = { trace: null, deadlineMs: null, by: undefined, isAudited: false } as const;

/** The commit that creates a run of the schedule. @throws {WorkflowError} What keeps its input from being read here. */
function startOf({ workflows, clock }: RuntimeParts, { schedule, tenant, atMs, runId }: Starting): RunCommit {
  const { name, timeoutMs, queue } = schedule;
  const workflow = workflows.get(schedule.workflow);
  const event = decodeEvent(schedule.event, workflow.compiled.registry, `The input of the schedule "${name}"`);
  const key = { tenant, runId: runId ?? occurrenceId(name, atMs) };
  const labels = { ...schedule.labels, schedule: name };
  const start = { key, workflow, event, labels, timeoutMs, queue, nowMs: clock.now(), startAtMs: atMs };
  return createOnly(newRun({ ...start, ...unattended }));
}

export interface SchedulesSetup extends RuntimeParts {
  readonly queues: ReadonlyMap<string, ResolvedQueue>;
  /** A schedule has changed: who starts its runs looks again. */
  readonly onChanged: () => void;
}

const overlapRule = oneOf("skip", "queue", "allow");
const catchUpRule = oneOf("last", "all", "none");

export class StoredSchedules implements RuntimeSchedules {
  readonly #setup: SchedulesSetup;

  constructor(setup: SchedulesSetup) {
    this.#setup = setup;
  }

  async set(name: string, options: ScheduleOptions): Promise<Schedule> {
    const given = this.#resolve(name, options);
    const done = { action: "schedule.set", ...byOf(options) } as const;
    return this.#write(scheduleKey(options.tenant ?? "", name), done, (before) => {
      const set = setAgain(before?.schedule ?? null, given);
      const isSame = before !== null && isSameTime(before.schedule, set);
      const state = isSame ? before.schedule.state : this.#fresh(set, before);
      return { ...set, state, paused: before?.schedule.paused ?? false };
    });
  }

  async get(name: string, options: TenantOptions = {}): Promise<Schedule | null> {
    const key = this.#key("schedules.get", name, options);
    const read = await readSchedule(this.#setup.store, key);
    return read === null ? null : toSchedule(key.tenant, read);
  }

  async list(query: ScheduleQuery = {}): Promise<ScheduleList> {
    checkCallOptions("schedules.list", query);
    const { tenant = "", limit = 100, ...where } = query;
    checkNames({ tenant });
    const { kind } = scheduleKey(tenant, "");
    const page = await this.#setup.store.records({ ...given(where), tenant, kind, limit: pageSize(limit) });
    return {
      schedules: page.records.map((record) => toSchedule(tenant, scheduleOf(record, record))),
      cursor: page.cursor,
    };
  }

  async pause(name: string, options: ScheduleChangeOptions = {}): Promise<Schedule> {
    const key = this.#key("schedules.pause", name, options);
    return this.#setPaused(key, true, { action: "schedule.pause", ...byOf(options) });
  }

  async resume(name: string, options: ScheduleChangeOptions = {}): Promise<Schedule> {
    const key = this.#key("schedules.resume", name, options);
    return this.#setPaused(key, false, { action: "schedule.resume", ...byOf(options) });
  }

  async edit(name: string, change: ScheduleEdit, options: ScheduleChangeOptions = {}): Promise<Schedule> {
    const key = this.#key("schedules.edit", name, options);
    const by = byOf(options);
    checkCallOptions("schedules.edit change", change);
    return this.#change(key, { action: "schedule.edit", ...by }, (before) =>
      this.#edited(before, this.#resolveEdit(before.schedule, change), by),
    );
  }

  async reset(name: string, options: ScheduleChangeOptions = {}): Promise<Schedule> {
    const key = this.#key("schedules.reset", name, options);
    const by = byOf(options);
    return this.#change(key, { action: "schedule.reset", ...by }, (before) =>
      before.schedule.edited === undefined ? null : this.#edited(before, said(before.schedule), by),
    );
  }

  async start(name: string, options: ScheduleChangeOptions & { readonly key?: string } = {}): Promise<string> {
    const { key: once, ...rest } = options;
    const key = this.#key("schedules.start", name, options);
    const { by } = byOf(rest);
    const runId = `${name}@now-${once ?? systemIds.runId()}`;
    refuseOptions(optionsOf("`schedules.start`"), nameProblem("the id of its run, `name@now-key`,", runId, true));
    const { store, clock, onChanged } = this.#setup;
    for (;;) {
      const before = await this.#known(key);
      const run = startOf(this.#setup, { schedule: before.schedule, tenant: key.tenant, atMs: clock.now(), runId });
      const last = { atMs: clock.now(), runId };
      const after = { ...before.schedule, state: { ...before.schedule.state, last } };
      const { writes } = scheduleWrites(store, key, { before, after });
      const audit = {
        action: "schedule.start",
        schedule: name,
        workflow: after.workflow,
        by,
        atMs: clock.now(),
      } as const;
      const records = [...writes, ...auditWrites({ tenant: key.tenant, runId }, audit)];
      const [result] = await store.commit([{ ...run, records }]);
      if (result?.status === "conflict") continue; // the schedule has changed meanwhile
      onChanged();
      return runId;
    }
  }

  async delete(name: string, options: ScheduleChangeOptions = {}): Promise<void> {
    const { store } = this.#setup;
    const key = this.#key("schedules.delete", name, options);
    const done = { action: "schedule.delete", ...byOf(options) } as const;
    for (let isDone = false; !isDone; ) {
      const before = await this.#known(key);
      const writes = [...scheduleDeletion(key, before), ...this.#audit(key, before.schedule.workflow, done)];
      isDone = (await store.writeRecords(writes)).length === 0;
    }
  }

  async next(name: string, count = 1, options: TenantOptions = {}): Promise<Date[]> {
    const key = this.#key("schedules.next", name, options);
    integerIn(count, "count", { least: 1, most: 1_000, hint: "Ask for fewer times." });
    const { schedule } = await this.#known(key);
    return nextDates(schedule, this.#setup.clock.now(), count);
  }

  #setPaused(key: RecordKey, paused: boolean, done: Done): Promise<Schedule> {
    return this.#change(key, done, ({ schedule }) => {
      if (schedule.paused === paused) return null;
      const nextAtMs = paused ? schedule.state.nextAtMs : nextAfter(schedule, this.#setup.clock.now());
      return { ...schedule, paused, state: { ...schedule.state, nextAtMs } };
    });
  }

  #edited(before: ReadSchedule, change: Partial<Editable>, { by }: CallerOptions): Changed {
    const { edited: _, ...schedule } = before.schedule;
    const parts = edit(before.schedule, change, { atMs: this.#setup.clock.now(), by: by ?? null });
    const state = isSameTime(schedule, parts) ? schedule.state : this.#fresh(parts, before);
    return { ...schedule, ...parts, state };
  }

  /** @throws {WorkflowError} `OPTION_INVALID`, and what `run` throws for the input. */
  #resolveEdit(schedule: StoredSchedule, { cron, timezone, input }: ScheduleEdit): Partial<Editable> {
    const { workflows, clock } = this.#setup;
    const times = { cron: cron ?? schedule.cron, timezone: timezone ?? schedule.timezone };
    const isEmpty = cron === undefined && timezone === undefined && input === undefined;
    refuseOptions(optionsOf("`schedules.edit`"), [
      ...(isEmpty ? ["nothing is edited: `cron`, `timezone` and `input` are left out"] : []),
      ...timetableProblems(times, clock.now()),
    ]);
    if (input === undefined) return times;
    const { compiled } = workflows.get(schedule.workflow);
    const event = resolveStart(compiled, input);
    return { ...times, event: encodeEvent(event, `schedules.edit: ${event.type}`, compiled.values) };
  }

  #audit({ tenant, id }: RecordKey, workflow: string, done: Done): RecordWrite[] {
    const { action, by } = done;
    const entry = { action, by, schedule: id, workflow, atMs: this.#setup.clock.now() };
    return auditWrites({ tenant, runId: "" }, entry);
  }

  /** @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  #change(key: RecordKey, done: Done, change: (before: ReadSchedule) => Changed | null): Promise<Schedule> {
    return this.#write(key, done, (before) => {
      if (before === null) throw scheduleUnknown(key);
      return change(before);
    });
  }

  /** @param change Null: it is as it should be. */
  async #write(key: RecordKey, done: Done, change: (before: ReadSchedule | null) => Changed | null): Promise<Schedule> {
    const { store, onChanged } = this.#setup;
    for (;;) {
      const before = await readSchedule(store, key);
      const after = change(before);
      if (after === null) return toSchedule(key.tenant, before as ReadSchedule);
      const { written, writes } = scheduleWrites(store, key, { before, after });
      const audit = this.#audit(key, after.workflow, done);
      if ((await store.writeRecords([...writes, ...audit])).length > 0) continue; // another process was faster
      onChanged();
      return toSchedule(key.tenant, written);
    }
  }

  /** @throws {WorkflowError} `OPTION_INVALID`, and what `run` throws for the input. */
  #resolve(name: string, options: ScheduleOptions): Omit<StoredSchedule, "paused" | "state" | "due"> {
    const { workflows, queues, clock } = this.#setup;
    checkCallOptions("schedules.set", options);
    const { cron, timezone = "UTC", overlap = "skip", catchUp = "last", labels = {}, tenant = "", timeout } = options;
    const nowMs = clock.now();
    const runId = occurrenceId(String(name), nowMs);
    checkNames({ schedule: name, tenant, labels });
    const problems = [
      ...nameProblem("the id of its runs, `name@time`,", runId, true),
      ...timetableProblems({ cron, timezone }, nowMs),
      ...overlapRule(overlap, "overlap"),
      ...catchUpRule(catchUp, "catchUp"),
      ...ticketProblems(queues, options),
    ];
    refuseOptions(optionsOf(`the schedule "${name}"`), problems);
    const workflow = workflows.get(options.workflow);
    const { compiled } = workflow;
    const event = resolveStart(compiled, options.input);
    const { timeoutMs } = limitsOf(compiled, timeout === undefined ? {} : { timeout });
    // The first run is built here, so that invalid options are refused now.
    const queue = toTicket(options);
    const start = { key: { tenant, runId }, workflow, event, labels, timeoutMs, queue, nowMs, startAtMs: nowMs };
    newRun({ ...start, ...unattended });
    const encoded = encodeEvent(event, `schedules.set: ${event.type}`, compiled.values);
    return {
      name,
      cron,
      timezone,
      overlap,
      catchUp,
      workflow: workflow.name,
      event: encoded,
      labels,
      timeoutMs,
      queue,
    };
  }

  #fresh(given: { readonly cron: string; readonly timezone: string }, before: ReadSchedule | null): ScheduleState {
    const { last = null, skips = [] } = before?.schedule.state ?? {};
    return { nextAtMs: nextAfter(given, this.#setup.clock.now()), queuedAtMs: [], last, skips };
  }

  #key(call: Parameters<typeof checkCallOptions>[0], name: string, options: TenantOptions): RecordKey {
    checkCallOptions(call, options);
    const { tenant = "" } = options;
    checkNames({ schedule: name, tenant });
    return scheduleKey(tenant, name);
  }

  /** @throws {WorkflowError} `SCHEDULE_UNKNOWN` */
  async #known(key: RecordKey): Promise<ReadSchedule> {
    const read = await readSchedule(this.#setup.store, key);
    if (read === null) throw scheduleUnknown(key);
    return read;
  }
}

type Changed = Omit<StoredSchedule, "due">;

/** Action of a change, for the audit. */
interface Done extends CallerOptions {
  readonly action: AuditAction;
}

function isSameTime(one: { readonly cron: string; readonly timezone: string }, other: typeof one): boolean {
  return one.cron === other.cron && one.timezone === other.timezone;
}

function scheduleUnknown({ tenant, id }: RecordKey): WorkflowError {
  return new WorkflowError({
    code: "SCHEDULE_UNKNOWN",
    message: `There is no schedule "${id}"${tenant === "" ? "" : ` of tenant "${tenant}"`}.`,
    hint: "Check the name and the tenant, or create it with `runtime.schedules.set`.",
    details: { schedule: id, tenant },
  });
}
