/** Schemas of what looks back at a run: its history, its attempts, a moment of it. */
import { z } from "@hono/zod-openapi";
import { answeredBy, envelope, prompt, time } from "./schemas.js";

const anything = z.unknown();
const anyTick = z.looseObject({ type: z.string() });

export const historyEntry = z
  .object({
    number: z.number(),
    at: time,
    run_id: z.string(),
    step: z.string().nullable(),
    item: z.number().nullable(),
    attempt: z.number().nullable(),
    changes: z
      .array(
        z.object({
          path: z.array(z.union([z.string(), z.number()])),
          old: anything.optional(),
          new: anything.optional(),
        }),
      )
      .optional(),
    tick: anyTick,
  })
  .openapi("HistoryEntry");

export const attempt = z
  .object({
    run_id: z.string(),
    workflow_name: z.string(),
    step: z.string(),
    item: z.number(),
    attempt: z.number(),
    started_at: time,
    started_tick: z.number(),
    ended_at: time.nullable(),
    ended_tick: z.number().nullable(),
    status: z.enum(["queued", "running", "waiting", "completed", "failed", "retrying", "restarted", "cancelled"]),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    final: z.boolean(),
    retry_at: time.nullable(),
    event_type: z.string().nullable(),
    waits: z.array(
      z.object({
        kind: z.enum(["event", "sleep", "child", "retry"]),
        from: time,
        from_tick: z.number(),
        to: time.nullable(),
        to_tick: z.number().nullable(),
        prompt_id: z.string().optional(),
        by: answeredBy.optional().describe("Who answered the prompt."),
        until: time.optional(),
        run_id: z.string().optional(),
      }),
    ),
    calls: z
      .array(
        z.object({
          call: z.string(),
          label: z.string().optional(),
          started_at: time,
          started_tick: z.number(),
          ended_at: time.nullable(),
          ended_tick: z.number().nullable(),
          status: z.enum(["running", "waiting", "completed", "failed", "interrupted"]),
          attempts: z.number(),
          error: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      )
      .describe("Its calls of `ctx.run`: the first 1,000."),
    more_calls: z.number().describe("Number of its other calls."),
  })
  .openapi("Attempt");

const count = z.number();

export const moment = z
  .object({
    number: z.number(),
    at: time,
    status: z.enum(["running", "completed", "failed", "cancelled"]),
    waiting: z.boolean(),
    state: anything,
    steps: z.array(
      z.object({
        run_id: z.string(),
        step: z.string(),
        queued: count,
        running: count,
        waiting: count,
        retrying: count,
        done: count,
        failed: count,
        caught: count,
      }),
    ),
    prompts: z.array(prompt),
    next: z
      .array(
        z.object({
          item: z.number(),
          step: z.string(),
          event: envelope,
          editable: z.boolean().describe("Whether `event` of a fork may replace its fields."),
          reason: z.string().nullable().describe("Why it may not."),
        }),
      )
      .describe("What a fork from here delivers first."),
    closed: z.array(z.string()).describe("Top-level fields that `state` of a fork may not set."),
    input: z
      .object({
        step: z.string(),
        events: z.array(envelope).describe("One event, or those of a batch or a set."),
        slots: z.array(z.string()).nullable().describe("Names of the slots of a set, in the order of `events`."),
      })
      .nullable()
      .describe("Input of the requested work item, where it is at work then."),
  })
  .openapi("Moment");
