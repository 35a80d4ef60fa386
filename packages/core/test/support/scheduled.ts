/** Schedules under virtual time: what has started by when. */
import * as z from "zod";
import type { Runtime } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export class Report extends StartEvent.define("Report", { of: z.string() }) {}
export class Done extends ExternalEvent.define("Done", {}) {}

export const scheduled = {
  report: defineWorkflow("report")
    .step("write", { on: Report, emits: StopEvent }, ({ of }) => new StopEvent({ result: `report of ${of}` }))
    .build(),
  /** Ends when it is told so. */
  slow: defineWorkflow("slow")
    .step("work", { on: StartEvent, emits: StopEvent, waits: Done }, async (_ev, ctx) => {
      await ctx.waitForEvent(Done);
      return new StopEvent({ result: "done" });
    })
    .build(),
};

/** The ids of all runs of a tenant, the oldest occurrence first. */
export async function startedIds(runtime: Runtime, tenant: string = ""): Promise<string[]> {
  const { runs } = await runtime.runs({ tenant, limit: 1_000 });
  return runs.map(({ runId }) => runId).sort();
}

/** The times of the occurrences of a schedule that have started, in UTC, without the date's day names: `01-02 03:00`. */
export async function startedAt(runtime: Runtime): Promise<string[]> {
  return (await startedIds(runtime)).map((id) => shortTime(id.slice(id.indexOf("@") + 1)));
}

/** `2030-01-02T03:00:00.000Z` as `01-02 03:00`. */
export function shortTime(iso: string): string {
  return `${iso.slice(5, 10)} ${iso.slice(11, 16)}`;
}
