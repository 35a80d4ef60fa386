/** Schemas of statistics. */
import { z } from "@hono/zod-openapi";
import { most } from "./names.js";
import { counts, instant, pageLimit, repeated, time } from "./schemas.js";

const ended = {
  workflow_name: repeated(z.string()),
  after: instant("What ended at this time or later; 24 hours before `before` without it."),
  before: instant("What ended before this time; now without it."),
};

export const statisticsQuery = z.object({
  ...ended,
  by: z.literal("version").optional().describe("One entry for each version of the code."),
});

export const failuresQuery = z.object({
  ...ended,
  version: z.string().min(1).max(most.name).optional().describe("Only failures of this version of the code."),
  limit: pageLimit,
});

const countedTime = {
  from: time,
  to: time,
  period_ms: z.number().describe("Length of a period, in milliseconds."),
};
const figures = {
  count: z.number(),
  failed: z.number().describe("How many failed or timed out."),
  failure_rate: z.number().describe("From 0 to 1."),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
};

export const statistics = z
  .object({
    ...countedTime,
    workflows: z.array(
      z.object({
        workflow_name: z.string(),
        version: z.string().nullable().optional(),
        ...figures,
        periods: z.array(z.object({ at: time, ...figures })).describe("Empty unless one workflow is asked for."),
        steps: z.array(z.object({ step: z.string(), ...figures })).describe("Empty unless one workflow is asked for."),
      }),
    ),
  })
  .openapi("Statistics");

export const failures = z
  .object({
    ...countedTime,
    groups: z.array(
      z.object({
        id: z.string().describe("For `failure` of `GET /handlers`."),
        workflow_name: z.string(),
        step: z.string().nullable(),
        code: z.string().nullable(),
        message: z.string(),
        count: z.number(),
        first_at: time,
        last_at: time,
        versions: z.array(z.object({ version: z.string().nullable(), count: z.number() })),
        periods: z.array(z.object({ at: time, count: z.number() })),
      }),
    ),
  })
  .openapi("Failures");

export const histogram = z
  .object({ ...countedTime, bars: z.array(z.object({ at: time, counts: counts.shape.status })) })
  .openapi("Histogram");
