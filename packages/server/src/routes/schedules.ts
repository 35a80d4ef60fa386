/** Routes of schedules: runs that begin by the calendar. */

import { z } from "@hono/zod-openapi";
import type { Schedule, ScheduleEdit, ScheduleOptions } from "millrace/runtime";
import { type ScheduleBody, type ScheduleEditBody, type ScheduleRecord, toWire } from "millrace/wire";
import type { Identity } from "../guard/auth.js";
import { placeOf } from "../guard/queue-of.js";
import { assertMay, rightsFor } from "../guard/rights.js";
import { HttpError, scheduleUnknown } from "../http/http-error.js";
import { callerOf } from "../quota/caller.js";
import { idOfKey } from "../runs/start-run.js";
import { isoTime } from "../system.js";
import { fromCursor, toCursor } from "../wire/cursor.js";
import { scheduleEditBody } from "../wire/operate-schemas.js";
import { readStart } from "../wire/read-event.js";
import { nextQuery, schedule, scheduleBody, scheduleParams, scheduleQuery } from "../wire/schemas.js";
import { workflowUnknown } from "../wire/workflow-facts.js";
import { type Call, json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const tag = "Schedules";
const one = { tag, params: scheduleParams } as const;
const it = { 200: ["The schedule", schedule] } as const;

type Name = { readonly name: string };

/** The schedules that the code sets: anybody with the rights may look at them, edit them and start their runs. */
export function mountSchedules(server: Server): void {
  const { schedules } = server.runtime;
  mount(server, {
    route: "GET /schedules",
    needs: ["read", "some"],
    operation: "listSchedules",
    summary: "Lists schedules by name, in pages",
    tag,
    query: scheduleQuery,
    answers: { 200: ["A page", z.object({ schedules: z.array(schedule), cursor: z.string().nullable() })] },
    handle: async ({ tenant, identity, query: { prefix, limit, cursor } }) => {
      const place = cursor === undefined ? {} : { cursor: fromCursor(cursor, ["schedules"]).place };
      const page = await schedules.list({ tenant, limit, ...(prefix !== undefined && { prefix }), ...place });
      const readable = page.schedules.filter(({ workflow }) => rightsFor(identity, workflow).includes("read"));
      const next = page.cursor === null ? null : toCursor("schedules", page.cursor);
      return json({ schedules: readable.map(toRecord), cursor: next });
    },
  });
  mount(server, {
    ...one,
    route: "GET /schedules/{name}",
    needs: ["read", "schedule"],
    operation: "getSchedule",
    summary: "A schedule and its state",
    answers: it,
    handle: async ({ tenant, params: { name } }) => {
      const found = await schedules.get(name, { tenant });
      if (found === null) throw scheduleUnknown(name);
      return json(toRecord(found));
    },
  });
  mountPauses(server);
  mountEdits(server);
}

/** Schedules of callers. */
export function mountSetSchedules(server: Server): void {
  const { schedules } = server.runtime;
  mount(server, {
    ...one,
    route: "PUT /schedules/{name}",
    needs: ["operate", "schedule"],
    operation: "setSchedule",
    summary: "Creates a schedule, or replaces the one of that name",
    body: scheduleBody,
    answers: it,
    handle: async (call) => json(toRecord(await setSchedule(server, call))),
  });
  mount(server, {
    ...one,
    route: "DELETE /schedules/{name}",
    needs: ["operate", "schedule"],
    operation: "deleteSchedule",
    summary: "Deletes a schedule; its runs stay",
    answers: { 200: ["Done", z.object({ status: z.literal("deleted") })] },
    handle: async ({ tenant, by, params: { name } }) => {
      await schedules.delete(name, { tenant, by });
      return json({ status: "deleted" });
    },
  });
}

function mountPauses(server: Server): void {
  const { schedules } = server.runtime;
  mount(server, {
    ...one,
    route: "POST /schedules/{name}/pause",
    needs: ["operate", "schedule"],
    operation: "pauseSchedule",
    summary: "Nothing occurs until it is resumed",
    answers: it,
    handle: async ({ tenant, by, params: { name } }) => json(toRecord(await schedules.pause(name, { tenant, by }))),
  });
  mount(server, {
    ...one,
    route: "POST /schedules/{name}/resume",
    needs: ["operate", "schedule"],
    operation: "resumeSchedule",
    summary: "The next occurrence counts from now",
    answers: it,
    handle: async ({ tenant, by, params: { name } }) => json(toRecord(await schedules.resume(name, { tenant, by }))),
  });
  mount(server, {
    ...one,
    route: "GET /schedules/{name}/next",
    needs: ["read", "schedule"],
    operation: "listOccurrences",
    summary: "Times of the next occurrences, also of a schedule that is paused",
    query: nextQuery,
    answers: { 200: ["Times", z.object({ next: z.array(z.string().openapi({ format: "date-time" })) })] },
    handle: async ({ tenant, params: { name }, query: { count } }) => {
      const dates = await schedules.next(name, count, { tenant });
      return json({ next: dates.map((date) => date.toISOString()) });
    },
  });
}

function mountEdits(server: Server): void {
  const { schedules } = server.runtime;
  mount(server, {
    ...one,
    route: "POST /schedules/{name}/edit",
    needs: ["operate", "schedule"],
    operation: "editSchedule",
    summary: "Changes when it occurs, or with what input, until code sets it otherwise",
    body: scheduleEditBody,
    answers: it,
    handle: async ({ tenant, by, params: { name }, body, identity, context }) => {
      const workflow = await startable(server, { tenant, name, identity });
      server.quotas.starts.spend(callerOf(server.options, context));
      return json(toRecord(await schedules.edit(name, editOf(server, workflow, body), { tenant, by })));
    },
  });
  mount(server, {
    ...one,
    route: "POST /schedules/{name}/reset",
    needs: ["operate", "schedule"],
    operation: "resetSchedule",
    summary: "Takes all edits back",
    answers: it,
    handle: async ({ tenant, by, params: { name } }) => json(toRecord(await schedules.reset(name, { tenant, by }))),
  });
  mount(server, {
    ...one,
    route: "POST /schedules/{name}/start",
    needs: ["operate", "schedule"],
    operation: "startSchedule",
    summary: "Starts a run now; its occurrences stay as they are",
    isKeyed: true,
    answers: { 200: ["The run", z.object({ handler_id: z.string() })] },
    handle: async ({ tenant, by, params: { name }, idempotencyKey, identity, context }) => {
      await startable(server, { tenant, name, identity });
      server.quotas.starts.spend(callerOf(server.options, context));
      const key = idempotencyKey === null ? {} : { key: await idOfKey(name, idempotencyKey) };
      return json({ handler_id: await schedules.start(name, { tenant, by, ...key }) });
    },
  });
}

/** The workflow of a schedule. @throws {HttpError} unless the caller may start runs of it. */
async function startable(
  { runtime }: Server,
  { tenant, name, identity }: { readonly tenant: string; readonly name: string; readonly identity: Identity },
): Promise<string> {
  const found = await runtime.schedules.get(name, { tenant });
  if (found === null) throw scheduleUnknown(name);
  const { workflow } = found;
  assertMay(identity, { right: "start", workflow, unknown: () => workflowUnknown(workflow) });
  return workflow;
}

function editOf({ catalog, limits }: Server, workflow: string, body: ScheduleEditBody): ScheduleEdit {
  const { cron, timezone, start_event: given } = body;
  const times = { ...(cron != null && { cron }), ...(timezone != null && { timezone }) };
  if (given == null) return times; // the code of the workflow is not needed
  const read = { facts: catalog.get(workflow), maxDepth: limits.bodyDepth };
  return { ...times, input: readStart({ start_event: given }, read) };
}

async function setSchedule(server: Server, call: Call<Name, unknown, ScheduleBody>): Promise<Schedule> {
  const { runtime, catalog, limits, options, quotas } = server;
  const { context, tenant, identity, body, params } = call;
  quotas.starts.spend(callerOf(options, context)); // it starts runs, and is stored like one
  const { workflow_name: workflow, cron, timezone, overlap, catch_up: catchUp, labels } = body;
  for (const right of ["operate", "start"] as const)
    assertMay(identity, { right, workflow, unknown: () => workflowUnknown(workflow) });
  const input = readStart(body, { facts: catalog.getStartable(workflow), maxDepth: limits.bodyDepth });
  const place = await placeOf(options, { request: context.req.raw, tenant, workflow, body });
  if ((await runtime.schedules.get(params.name, { tenant })) === null) await assertRoom(server, tenant);
  const given = { timezone, overlap, catchUp, labels };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  const wanted: ScheduleOptions = { tenant, by: call.by, cron, workflow, input, ...place, ...set };
  return runtime.schedules.set(params.name, wanted as never);
}

/** @throws {HttpError} 429 `SCHEDULES_EXCEEDED` */
async function assertRoom({ runtime, limits: { schedulesPerTenant: most } }: Server, tenant: string): Promise<void> {
  let count = 0;
  for (let cursor: string | null | undefined; cursor !== null && count < most; ) {
    const page = await runtime.schedules.list({ tenant, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    count += page.schedules.length;
    cursor = page.cursor;
  }
  if (count < most) return;
  throw new HttpError({
    status: 429,
    code: "SCHEDULES_EXCEEDED",
    detail: `There are ${count} schedules; the most is ${most}.`,
    hint: "Delete one that is no longer needed.",
    headers: { "retry-after": "60" },
  });
}

function toRecord({ tenant: _, last, queuedAtMs, skips, edited, ...record }: Schedule): ScheduleRecord {
  return {
    ...toWire(record),
    edited: edited && toWire(edited),
    last: last === null ? null : { at: isoTime(last.atMs), handler_id: last.runId },
    queued_at: queuedAtMs.map(isoTime),
    skips: skips.map(toWire),
  };
}
