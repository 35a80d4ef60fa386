/**
 * Schemas of bodies, queries and responses. They check requests and appear in `/openapi.json`.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { cursorText } from "./cursor.js";
import {
  idMeaning,
  idPattern,
  labelMeaning,
  labelPattern,
  most,
  newIdMeaning,
  newIdPattern,
  unreadKeys,
} from "./names.js";

const anything = z.unknown();
const fields = z.record(z.string(), anything);

// ---- what comes in

export const handlerIdText: z.ZodString = idText(idPattern, idMeaning);
const newHandlerId = idText(newIdPattern, newIdMeaning);

export function idText(pattern: RegExp, meaning: string): z.ZodString {
  const text = z.string().min(1).max(most.id).regex(pattern, meaning);
  return text.openapi({ pattern: pattern.source }); // the generator would make the flags a part of the pattern
}

const labelsGiven = z
  .record(z.string().regex(labelPattern, labelMeaning), z.string().max(most.labelValue))
  .refine((labels) => Object.keys(labels).length <= most.labels, `at most ${most.labels} labels`);

export const eventBody: z.ZodUnion<[z.ZodString, z.ZodRecord<z.ZodString, z.ZodUnknown>]> = z.union([
  z.string(),
  fields,
]);

/** Refuses unknown fields of a body, which would be ignored in silence. */
export const readAll: {
  error: (issue: { readonly code?: string; readonly keys?: readonly string[] }) => string | undefined;
} = {
  error: ({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }): string | undefined =>
    code === "unrecognized_keys" ? unreadKeys(keys ?? []) : undefined,
};

const startFields = {
  start_event: eventBody.nullish().describe("Fields, a JSON string of them, or an envelope."),
  kwargs: fields.nullish().describe("Fields, where there is no `start_event`."),
  labels: labelsGiven.nullish().describe("To find it by: `GET /handlers?label=name=value`."),
  queue: z.string().max(most.name).nullish().describe("Where it waits, if `queueOf` of the server lets it."),
  queue_key: z.string().max(most.name).nullish().describe("Whose run it is: keys take turns."),
  priority: z.number().nullish().describe("The highest of its key begins first."),
};

export const runBody = z
  .strictObject(
    {
      ...startFields,
      handler_id: newHandlerId.nullish(),
      dedupe: z
        .strictObject(
          {
            key: z.string().max(most.name),
            for: z.union([z.number(), z.string()]),
            failed: z.enum(["keep", "replace"]).nullish(),
          },
          readAll,
        )
        .nullish()
        .describe(
          "Starts with one key start one run, for so many milliseconds or a time such as `10m`. With `failed: replace`, a run that has ended without a result counts no longer.",
        ),
      context: anything.optional().describe("Refused, unless it is `{}`: fork instead."),
    },
    readAll,
  )
  .openapi("RunBody");

export const cronText = z
  .string()
  .max(most.name)
  .refine((cron) => cron.trim().split(/\s+/).length < 6, "has a field for seconds: at most once a minute, please")
  .describe("Minute, hour, day of the month, month, day of the week; or `@daily` and the like.");

export const scheduleBody = z
  .strictObject(
    {
      ...startFields,
      workflow_name: z.string(),
      cron: cronText,
      timezone: z.string().max(most.name).nullish().describe("An IANA name; `UTC` where it is left out."),
      overlap: z.enum(["skip", "queue", "allow"]).nullish(),
      catch_up: z.enum(["last", "all", "none"]).nullish(),
    },
    readAll,
  )
  .openapi("ScheduleBody");

export const postBody = z
  .strictObject(
    {
      event: eventBody.describe("An envelope `{ type, value }`, or a JSON string of one."),
      step: z.string().min(1).nullish().describe("Only this step gets it."),
    },
    readAll,
  )
  .openapi("PostEventBody");

export const answerBody = z
  .strictObject(
    {
      fields: fields.nullish(),
      meta: anything.optional().describe("Of values that JSON cannot hold."),
    },
    readAll,
  )
  .openapi("AnswerBody");

export const cancelBody = z.strictObject({ reason: anything.optional() }, readAll).openapi("CancelBody");

export const forkBody = z
  .strictObject(
    {
      at: z.number().int().min(1).describe("The tick after which the new run begins."),
      handler_id: newHandlerId.nullish(),
      state: fields.nullish().describe("Top-level fields of the state to replace."),
      event: fields.nullish().describe("Fields to replace of the event that is delivered next."),
      item: z.number().int().min(1).nullish().describe("The work item that gets it, where there are several."),
      override: z
        .strictObject(
          {
            item: z.number().int().min(1).describe("The work item whose step makes the call."),
            call: z.string().min(1).describe("Id of a call of `ctx.run` that has not ended at that tick."),
            value: fields.describe("For a model call: `model`, `instructions`, `messages`, `settings`."),
          },
          readAll,
        )
        .nullish()
        .describe(
          "What the function of a call gets as `call.override`. Needs the option `callOverrides` of the server.",
        ),
    },
    readAll,
  )
  .openapi("ForkBody");

export const scheduleQuery = z.object({
  prefix: z.string().max(most.name).optional(),
  limit: whole({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: cursorText,
});

export const nextQuery = z.object({ count: whole({ minimum: 1, maximum: 1000, default: 1 }) });

export const streamQuery = z.object({
  sse: flag(true),
  after_sequence: z
    .union([z.literal("now"), whole({ minimum: -1, default: -1 })])
    .openapi({ default: -1, description: '-1: all; n: what comes after it; "now": what is still to come.' }),
  until: z.enum(["end", "idle"]).default("end"),
  include_qualified_name: flag(true),
});
export type StreamQuery = z.infer<typeof streamQuery>;

export const streamHeaders = z.object({
  "Last-Event-ID": z
    .string()
    .optional()
    .describe("In SSE: only what comes after this number; it takes precedence over `after_sequence`."),
});

const listFilter = {
  status: repeated(z.enum(["running", "waiting", "queued", "completed", "failed", "cancelled"])).describe(
    "`running` holds what waits or is queued, too.",
  ),
  workflow_name: repeated(z.string()),
  waiting: z
    .stringbool()
    .optional()
    .openapi({ type: "boolean", description: "Only runs that wait, or only those that do not." }),
  queued: z
    .stringbool()
    .optional()
    .openapi({ type: "boolean", description: "Only runs that wait for a place of their queue, or only the others." }),
  label: repeated(z.string().regex(/^[^=]+=/, "a label is `name=value`")).describe("`name=value`; all of them."),
  input: repeated(z.string().regex(/^[^=]+=/, "a value of the input is `name=value`"))
    .refine((pairs = []) => new Set(pairs.map((pair) => pair.slice(0, pair.indexOf("=")))).size === pairs.length, {
      error: "has a name twice",
    })
    .describe("`name=value`, with a name of the `static index` of the workflow; all of them."),
  version: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("Runs that a program of this version started, or has continued last."),
  queue: z.string().min(1).max(most.name).optional().describe("Runs of this queue."),
  failure: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Runs that have failed that way: the id of a group of failures."),
  failed_step: z.string().min(1).max(most.name).optional().describe("Runs that have failed or timed out at this step."),
  created_after: instant("Created after it."),
  created_before: instant("Created before it."),
  q: z
    .string()
    .max(200)
    .regex(/^\P{C}*$/u, "has characters that cannot be seen")
    .optional()
    .openapi({
      pattern: "^\\P{C}*$",
      description: "The beginning of an id, or a part of a label's value or of an error. A-Z are the same as a-z.",
    }),
};

export const listFilterQuery = z.object(listFilter);
export type ListFilter = z.infer<typeof listFilterQuery>;

export const listQuery = z.object({
  ...listFilter,
  sort: z.enum(["-created_at", "created_at"]).default("-created_at").describe("`-`: newest first."),
  sse: flag(false).describe("Streams the runs that change instead."),
  limit: whole({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: cursorText,
});
const { q: _, ...countedFilter } = listFilter;
export const histogramQuery = z.object({
  ...countedFilter,
  periods: whole({ minimum: 1, maximum: 500, default: 60 }).describe("How many bars, at most."),
});
export type ListQuery = z.infer<typeof listQuery>;

export const countQuery = z.object({ workflow_name: repeated(z.string()), label: listFilter.label });
export type CountQuery = z.infer<typeof countQuery>;

export const pageLimit: z.ZodType<number> = whole({ minimum: 1, maximum: 1000, default: 100 });
const tickNumber = whole({ minimum: 0, default: 0 });

export const historyQuery = z.object({
  after: tickNumber,
  before: whole({ minimum: 1, default: Number.MAX_SAFE_INTEGER }),
  limit: pageLimit,
  types: z.string().max(1000).optional().describe("Only ticks of these types, with commas in between."),
  changes: flag(false).describe("With what each tick changed in the state."),
  sse: flag(false).describe("A stream: what there is, then what is still to come. `limit` is not for it."),
});
export type HistoryQuery = z.infer<typeof historyQuery>;

export const attemptsQuery = z.object({
  after: tickNumber,
  limit: whole({ minimum: 1, maximum: 1000, default: 1000 }),
});

export const momentQuery = z.object({
  run_id: z.string().min(1).max(1_000).optional().describe("A child that had started by then."),
  item: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, "is not the id of a work item")
    .transform(Number)
    .optional()
    .openapi({ type: "integer", minimum: 1, description: "A work item whose `input` to return." }),
});

export const standQuery = z.object({
  wait: whole({ minimum: 0, default: 0 }).describe("Milliseconds; at most `limits.runWaitMs`."),
});

export const handlerQuery = standQuery.extend({
  children: flag(false).describe("With the runs that its steps have started."),
});

export const cancelQuery = z.object({ purge: flag(false) });

export const idParams = z.object({ id: handlerIdText });
/** Short enough for the ids of its runs, `<name>@<time>`, to be ids of handlers. */
export const scheduleParams = z.object({ name: handlerIdText.max(most.scheduleName) });
export const nameParams = z.object({ name: z.string() });
export const stepParams = z.object({ name: z.string(), step: z.string() });
export const tickParams = z.object({
  id: handlerIdText,
  tick: z
    .string()
    .regex(/^\d{1,15}$/, "is not a number of a tick")
    .transform(Number)
    .openapi({ type: "integer", minimum: 0 }),
});
export const promptParams = z.object({ id: handlerIdText, promptId: z.string().min(1).max(most.promptId) });

interface Whole {
  readonly minimum: number;
  readonly maximum?: number;
  readonly default: number;
}

/** Accepts digits only: an empty text would become 0. */
export function whole({ minimum, maximum = Number.MAX_SAFE_INTEGER, default: otherwise }: Whole) {
  return z
    .string()
    .regex(/^-?\d{1,16}$/, "is not a whole number")
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
    .default(otherwise)
    .openapi({ type: "integer", minimum, maximum, default: otherwise });
}

/** Accepts `true`, `false` and common synonyms. */
function flag(otherwise: boolean) {
  return z.stringbool().default(otherwise).openapi({ type: "boolean", default: otherwise });
}

export function instant(description: string) {
  const text = z.iso.datetime({ offset: true, error: "is no time such as 2026-01-31T12:00:00Z" });
  return text
    .transform((value) => Date.parse(value))
    .optional()
    .openapi({ description, type: "string", format: "date-time" });
}

export function repeated<Item extends z.ZodType>(item: Item) {
  const list = (value: unknown): unknown => (value === undefined || Array.isArray(value) ? value : [value]);
  return z.preprocess(list, z.array(item).max(100).optional());
}

// ---- what goes out

const envelopeShape = {
  value: anything.describe("The fields of the event."),
  type: z.string().describe("Its durable type."),
  types: z.array(z.string()).nullable().describe("The types of its bases, nearest first."),
  qualified_name: z.string().optional(),
  meta: anything.optional().describe("Describes the parts of `value` whose values JSON cannot hold."),
  version: z.number().optional().describe("Of the event's class, above 1."),
};

export const envelope = z.object(envelopeShape).openapi("Envelope");

export const streamedEnvelope = z
  .object({
    ...envelopeShape,
    sequence: z.number(),
    origin: z.string().nullable(),
    prompt_id: z.string().optional(),
    writer: z.string().optional().describe("The work item that wrote it: the same in its `StepRestartedEvent`s."),
    call: z.string().optional().describe("The recorded call inside of which it was written."),
  })
  .openapi("StreamedEnvelope");

const countsShape = {
  total: z.number(),
  status: z
    .object({
      running: z.number(),
      waiting: z.number(),
      queued: z.number(),
      completed: z.number(),
      failed: z.number(),
      cancelled: z.number(),
    })
    .describe("Each run is counted once: `running` excludes runs that wait."),
};

export const counts = z.object(countsShape).openapi("Counts");

export const allCounts = z
  .object({ ...countsShape, workflows: z.array(z.object({ workflow_name: z.string(), ...countsShape })) })
  .openapi("AllCounts");

export const time: z.ZodString = z.string().openapi({ format: "date-time" });

export const prompt = z
  .object({
    prompt_id: z.string(),
    event: envelope,
    run_id: z.string().describe("The run that asks: this one, or a child."),
    step: z.string().nullable().describe("The step that asks; null when it is not known."),
    asked_at: time.nullable().describe("Null when it is not known."),
    due_at: time.nullable().describe("Deadline of the answer; null if there is none."),
    answer: z
      .object({ type: z.string(), schema: z.record(z.string(), anything) })
      .nullable()
      .describe(
        "The event that the fields of an answer become; null when fields do not say which, and from `createHandler`.",
      ),
  })
  .openapi("Prompt");

const queueShape = { name: z.string(), key: z.string(), priority: z.number() };

export const handler = z
  .object({
    handler_id: z.string(),
    workflow_name: z.string(),
    run_id: z.string(),
    version: z
      .string()
      .nullable()
      .describe("Of the program that started the run, or that has continued it last; null if it was not known."),
    status: z.enum(["running", "completed", "failed", "cancelled"]),
    started_at: time,
    updated_at: time,
    completed_at: time.nullable(),
    error: z.string().nullable().describe("In lists its first 500 characters"),
    error_code: z.string().nullable(),
    result: envelope.nullable(),
    waiting: z.boolean(),
    queued: z.boolean().describe("It waits for a place of its queue."),
    prompts: z.array(prompt),
    wake_at: time.nullable(),
    last_sequence: z.number(),
    labels: z.record(z.string(), z.string()),
    queue: z
      .object({ ...queueShape, has_place: z.boolean() })
      .nullable()
      .describe("`has_place: false` of a run that is at work: its turn is still to come."),
    sealed: z.boolean().describe("The run was exported to another store and does not continue here."),
    forked_from: z.object({ handler_id: z.string(), at: z.number() }).nullable(),
    ticks: z
      .object({ first: z.number(), last: z.number() })
      .nullable()
      .optional()
      .describe("First and last tick of the stored history. Only in `GET /handlers/{id}`."),
    children: z
      .array(
        z.object({
          run_id: z.string(),
          parent_id: z.string(),
          workflow_name: z.string(),
          step: z.string(),
          item: z.number(),
          status: z.enum(["running", "completed", "failed", "cancelled"]),
          started_at: time,
        }),
      )
      .optional()
      .describe("Where the query asks for them."),
  })
  .openapi("Handler");

const scheduleStart = z.object({
  type: z.string(),
  value: anything,
  meta: anything.optional().describe("Of values that JSON cannot hold."),
});

export const answeredBy = z.object({ user: z.string().optional(), door: z.string() });

export const schedule = z
  .object({
    name: z.string(),
    workflow_name: z.string(),
    start: scheduleStart.describe("The start event of every run."),
    edited: z
      .object({
        cron: z.string().optional(),
        timezone: z.string().optional(),
        start: scheduleStart.optional(),
        at: time,
        by: answeredBy.nullable(),
      })
      .nullable()
      .describe("Parts that were edited, as they were before."),
    cron: z.string(),
    timezone: z.string(),
    overlap: z.enum(["skip", "queue", "allow"]),
    catch_up: z.enum(["last", "all", "none"]),
    queue: z.object(queueShape).nullable(),
    paused: z.boolean(),
    next_at: time.nullable(),
    last: z.object({ at: time, handler_id: z.string() }).nullable(),
    queued_at: z.array(time),
    skips: z.array(z.object({ at: time, reason: z.enum(["overlap", "missed"]) })),
  })
  .openapi("Schedule");

export const errorAnswer = z
  .object({
    detail: z.string(),
    code: z.string(),
    hint: z.string().optional(),
    id: z.string().optional(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    answered: z
      .object({ at: time, by: answeredBy.nullable() })
      .optional()
      .describe("With `PROMPT_CLOSED`: the answer that counts."),
  })
  .openapi("Error");
