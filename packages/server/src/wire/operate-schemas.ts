/** Schemas of queues, workers and budgets, and of edits of schedules. */
import { z } from "@hono/zod-openapi";
import { most } from "./names.js";
import { answeredBy, cronText, eventBody, readAll, time } from "./schemas.js";

const size = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const rate = z.object({ limit: size, per_ms: size }).describe("So many runs begin within so many milliseconds.");

const limitShape = {
  concurrency: size.nullable().describe("Runs with a place at the same time; null: no limit."),
  per_key: size.nullable().describe("The same for each key."),
  rate: rate.nullable(),
};
const limits = z.object(limitShape).openapi("QueueLimits");

const line = {
  waiting: z.number().describe("Runs that need a place and have none."),
  placed: z.number().describe("Runs with a place."),
  oldest_at: time.nullable().describe("Since when the run that waits the longest needs its place."),
};

export const queue = z
  .object({
    name: z.string(),
    paused: z.boolean(),
    limits,
    configured: limits
      .nullable()
      .describe("Limits in the options of processes; null: no living process names the queue."),
    changed_at: time.nullable(),
    changed_by: answeredBy.nullable(),
    workers: z.number().describe("Living processes that take its runs."),
    taken: z.number().describe("Runs that got a place in the last five minutes."),
    ...line,
    keys: z.array(z.object({ key: z.string(), ...line })).describe("At most 100, the longest lines first."),
  })
  .openapi("Queue");

export const position = z.object({
  position: z
    .object({
      queue: z.string(),
      position: z.number().describe("1 is next."),
      waiting: z.number(),
      paused: z.boolean(),
      estimate_ms: z
        .number()
        .nullable()
        .describe("At the pace of the last five minutes; null where that says nothing."),
    })
    .nullable()
    .describe("Null: the run is not in the line of a queue."),
});

export const limitBody = z
  .strictObject(
    {
      concurrency: limitShape.concurrency.optional(),
      per_key: limitShape.per_key.optional(),
      rate: limitShape.rate.optional(),
    },
    readAll,
  )
  .openapi("QueueLimitBody");

export const queueParams = z.object({ name: z.string().min(1).max(most.name) });

export const worker = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.number().nullable(),
    version: z.string().describe("`MILLRACE_VERSION` of the process."),
    started_at: time,
    beat_at: time.describe("Its last heartbeat."),
    alive: z.boolean().describe("Its lease has not run out since."),
    runs: z.number().describe("Runs in its memory at the last heartbeat."),
    places: z.number().describe("Those of them that are of a queue."),
    max_runs: z.number().nullable(),
    workflows: z.array(z.string()),
    queues: z.record(z.string(), limits),
  })
  .openapi("Worker");

const amountShape = {
  tokens: z.number().describe("Tokens that models read and write."),
  usd: z.number().describe("US dollars."),
  calls: z.number().describe("Calls that cost something."),
};
const amounts = z.object(amountShape);
const budgetShape = {
  spent: amounts.describe("By calls that have ended."),
  reserved: amounts.describe("By calls at work: at most so much."),
  allowed: amounts
    .partial()
    .describe("What may be spent, with what was allowed later; a unit without a limit is left out."),
};

export const budget = z.object(budgetShape).openapi("Budget");

export const daySpending = z
  .object({
    day: z.string(),
    timezone: z.string().describe("Where the day begins and ends."),
    tenants: z
      .array(z.object({ tenant: z.string(), ...budgetShape }))
      .describe("The tenants with runs that have spent or reserved something, those with the most dollars first."),
  })
  .openapi("DaySpending");

export const budgetQuery = z.object({
  day: z.iso.date().optional().describe("Default: today, in the time zone of the budgets."),
});

export const scheduleEditBody = z
  .strictObject(
    {
      cron: cronText.nullish(),
      timezone: z.string().max(most.name).nullish(),
      start_event: eventBody.nullish(),
    },
    readAll,
  )
  .openapi("ScheduleEditBody");
