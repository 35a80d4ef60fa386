/** `runtime.schedules`: schedules as their users set and read them. */

import { resolveStart } from "../../compile/start-event.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { encodeEvent } from "../../event/event-codec.js";
import { limitsOf } from "../../run/start.js";
import { formatValue } from "../../value/format-value.js";
import { optionsOf, pageSize, refuseOptions, wrongOption } from "../../value/options.js";
import type { TenantOptions } from "../api/runtime-names.types.js";
import type {
  RuntimeSchedules,
  Schedule,
  ScheduleList,
  ScheduleOptions,
  ScheduleQuery,
} from "../api/schedule.types.js";
import { checkCallOptions, given } from "../options/call-options.js";
import { checkNames, nameProblem } from "../options/check-names.js";
import { type ResolvedQueue, ticketProblems, toTicket } from "../options/queue-options.js";
import type { RecordKey, RecordWrite } from "../store/run-store.types.js";
import { newRun } from "../worker/commit/new-run.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";
import { nextAfter, nextDates, timetableProblems } from "./cron.js";
import { occurrenceId, type ScheduleState } from "./schedule-plan.js";
import {
  type ReadSchedule,
  readSchedule,
  type StoredSchedule,
  scheduleDeletion,
  scheduleKey,
  scheduleOf,
  scheduleWrites,
  toSchedule,
} from "./stored-schedule.js";

export interface SchedulesSetup extends RuntimeParts {
  readonly queues: ReadonlyMap<string, ResolvedQueue>;
  readonly assertOpen: () => void;
  /** A schedule has changed: who starts its runs looks again. */
  readonly onChanged: () => void;
}

const overlaps: readonly unknown[] = ["skip", "queue", "allow"];
const catchUps: readonly unknown[] = ["last", "all", "none"];

export class StoredSchedules implements RuntimeSchedules {
  readonly #setup: SchedulesSetup;

  constructor(setup: SchedulesSetup) {
    this.#setup = setup;
  }

  async set(name: string, options: ScheduleOptions): Promise<Schedule> {
    const { store } = this.#setup;
    const given = this.#resolve(name, options);
    const key = scheduleKey(options.tenant ?? "", name);
    return this.#write(key, (before) => {
      const state =
        before !== null && isSameTime(before.schedule, given) ? before.schedule.state : this.#fresh(given, before);
      const after = { ...given, state, paused: before?.schedule.paused ?? false };
      return scheduleWrites(store, key, { before, after });
    });
  }

  async get(name: string, options: TenantOptions = {}): Promise<Schedule | null> {
    const key = this.#key("schedules.get", name, options);
    const read = await readSchedule(this.#setup.store, key);
    return read === null ? null : toSchedule(key.tenant, read);
  }

  async list(query: ScheduleQuery = {}): Promise<ScheduleList> {
    this.#setup.assertOpen();
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

  async pause(name: string, options: TenantOptions = {}): Promise<Schedule> {
    return this.#setPaused(this.#key("schedules.pause", name, options), true);
  }

  async resume(name: string, options: TenantOptions = {}): Promise<Schedule> {
    return this.#setPaused(this.#key("schedules.resume", name, options), false);
  }

  async delete(name: string, options: TenantOptions = {}): Promise<void> {
    const { store } = this.#setup;
    const key = this.#key("schedules.delete", name, options);
    for (let isDone = false; !isDone; )
      isDone = (await store.writeRecords(scheduleDeletion(key, await this.#known(key)))).length === 0;
  }

  async next(name: string, count = 1, options: TenantOptions = {}): Promise<Date[]> {
    const key = this.#key("schedules.next", name, options);
    if (!Number.isInteger(count) || count < 1 || count > 1_000) throw wrongCount(count);
    const { schedule } = await this.#known(key);
    return nextDates(schedule, this.#setup.clock.now(), count);
  }

  #setPaused(key: RecordKey, paused: boolean): Promise<Schedule> {
    return this.#write(key, (before) => {
      if (before === null) throw scheduleUnknown(key);
      const { schedule } = before;
      if (schedule.paused === paused) return null;
      const nextAtMs = paused ? schedule.state.nextAtMs : nextAfter(schedule, this.#setup.clock.now());
      const after = { ...schedule, paused, state: { ...schedule.state, nextAtMs } };
      return scheduleWrites(this.#setup.store, key, { before, after });
    });
  }

  /** @param change Null: it is as it should be. */
  async #write(key: RecordKey, change: (before: ReadSchedule | null) => Change | null): Promise<Schedule> {
    const { store, onChanged } = this.#setup;
    for (;;) {
      const before = await readSchedule(store, key);
      const changed = change(before);
      if (changed === null) return toSchedule(key.tenant, before as ReadSchedule);
      if ((await store.writeRecords(changed.writes)).length > 0) continue; // another process was faster
      onChanged();
      return toSchedule(key.tenant, changed.written);
    }
  }

  /** @throws {WorkflowError} `OPTION_INVALID`, and what `run` throws for the input. */
  #resolve(name: string, options: ScheduleOptions): Omit<StoredSchedule, "paused" | "state" | "due"> {
    const { workflows, queues, clock, assertOpen } = this.#setup;
    assertOpen();
    checkCallOptions("schedules.set", options);
    const { cron, timezone = "UTC", overlap = "skip", catchUp = "last", labels = {}, tenant = "", timeout } = options;
    const nowMs = clock.now();
    const runId = occurrenceId(String(name), nowMs);
    checkNames({ schedule: name, tenant, labels });
    const problems = [
      ...nameProblem("the id of its runs, `name@time`,", runId, true),
      ...timetableProblems({ cron, timezone }, nowMs),
      ...(overlaps.includes(overlap) ? [] : [`\`overlap\` is ${formatValue(overlap)}, not "skip", "queue" or "allow"`]),
      ...(catchUps.includes(catchUp) ? [] : [`\`catchUp\` is ${formatValue(catchUp)}, not "last", "all" or "none"`]),
      ...ticketProblems(queues, options),
    ];
    refuseOptions(optionsOf(`the schedule "${name}"`), problems);
    const workflow = workflows.get(options.workflow);
    const { compiled } = workflow;
    const event = resolveStart(compiled, options.input);
    const { timeoutMs } = limitsOf(compiled, timeout === undefined ? {} : { timeout });
    // As its first run will be stored: what cannot be is refused now.
    const queue = toTicket(options);
    const start = { key: { tenant, runId }, workflow, event, labels, trace: null, timeoutMs, nowMs, startAtMs: nowMs };
    newRun({ ...start, deadlineMs: null, queue, by: undefined, isAudited: false });
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
    this.#setup.assertOpen();
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

interface Change {
  readonly written: ReadSchedule;
  readonly writes: readonly RecordWrite[];
}

function isSameTime(one: { readonly cron: string; readonly timezone: string }, other: typeof one): boolean {
  return one.cron === other.cron && one.timezone === other.timezone;
}

function wrongCount(count: unknown): WorkflowError {
  const what = `is ${formatValue(count)}; it must be a whole number from 1 to 1,000`;
  return wrongOption("count", what, "Ask for fewer times.");
}

function scheduleUnknown({ tenant, id }: RecordKey): WorkflowError {
  return new WorkflowError({
    code: "SCHEDULE_UNKNOWN",
    message: `There is no schedule "${id}"${tenant === "" ? "" : ` of tenant "${tenant}"`}.`,
    hint: "Check the name and the tenant, or create it with `runtime.schedules.set`.",
    details: { schedule: id, tenant },
  });
}
