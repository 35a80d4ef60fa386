/** The schemas have the names and types of `millrace/wire`: no more, and no fewer. */
import type { z } from "@hono/zod-openapi";
import type * as wire from "millrace/wire";
import { expectTypeOf } from "vitest";
import type * as about from "../src/wire/about-schemas.js";
import type * as bulk from "../src/wire/bulk-schemas.js";
import type * as back from "../src/wire/history-schemas.js";
import type * as operate from "../src/wire/operate-schemas.js";
import type * as schemas from "../src/wire/schemas.js";
import type * as counted from "../src/wire/statistics-schemas.js";

/** Without the differences between written types and those of zod: `readonly`, and `undefined` for what is left out. */
type Plain<Value> = Value extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Plain<Exclude<Value[Name], undefined>> }
    : Value;
type Answer<Schema extends z.ZodType> = Plain<z.infer<Schema>>;
type Body<Schema extends z.ZodType> = Plain<z.input<Schema>>;
type Query<Schema extends z.ZodType> = keyof z.input<Schema>;

// ---- answers
expectTypeOf<Answer<typeof schemas.envelope>>().toEqualTypeOf<Plain<wire.Envelope>>();
expectTypeOf<Answer<typeof schemas.streamedEnvelope>>().toEqualTypeOf<Plain<wire.StreamedEnvelope>>();
expectTypeOf<Answer<typeof schemas.prompt>>().toEqualTypeOf<Plain<wire.PromptRecord>>();
expectTypeOf<Answer<typeof schemas.handler>>().toEqualTypeOf<Plain<wire.HandlerRecord>>();
expectTypeOf<Answer<typeof schemas.counts>>().toEqualTypeOf<Plain<wire.CountsRecord>>();
expectTypeOf<Answer<typeof schemas.allCounts>>().toEqualTypeOf<Plain<wire.AllCountsRecord>>();
expectTypeOf<Answer<typeof schemas.schedule>>().toEqualTypeOf<Plain<wire.ScheduleRecord>>();
expectTypeOf<Answer<typeof schemas.errorAnswer>>().toEqualTypeOf<Plain<wire.ErrorAnswer>>();
expectTypeOf<Answer<typeof back.historyEntry>>().toEqualTypeOf<Plain<wire.HistoryRecord>>();
expectTypeOf<Answer<typeof back.attempt>>().toEqualTypeOf<Plain<wire.AttemptRecord>>();
expectTypeOf<Answer<typeof back.moment>>().toEqualTypeOf<Plain<wire.MomentRecord>>();
expectTypeOf<Answer<typeof about.workflowList>>().toEqualTypeOf<Plain<wire.WorkflowList>>();
expectTypeOf<Answer<typeof about.eventRoles>>().toEqualTypeOf<Plain<wire.EventsRecord["roles"]>>();
expectTypeOf<Answer<typeof about.session>>().toEqualTypeOf<Plain<wire.SessionRecord>>();
expectTypeOf<Answer<typeof about.sessionDetails>>().toEqualTypeOf<Plain<wire.SessionDetailsRecord>>();
expectTypeOf<Answer<typeof counted.statistics>>().toEqualTypeOf<Plain<wire.StatisticsRecord>>();
expectTypeOf<Answer<typeof counted.failures>>().toEqualTypeOf<Plain<wire.FailuresRecord>>();
expectTypeOf<Answer<typeof counted.histogram>>().toEqualTypeOf<Plain<wire.HistogramRecord>>();

expectTypeOf<Answer<typeof operate.queue>>().toEqualTypeOf<Plain<wire.QueueStateRecord>>();
expectTypeOf<Answer<typeof operate.position>>().toEqualTypeOf<Plain<wire.PositionRecord>>();
expectTypeOf<Answer<typeof operate.budget>>().toEqualTypeOf<Plain<wire.BudgetRecord>>();
expectTypeOf<Answer<typeof operate.daySpending>>().toEqualTypeOf<Plain<wire.DaySpendingRecord>>();
expectTypeOf<Answer<typeof operate.worker>>().toEqualTypeOf<Plain<wire.WorkerRecord>>();

// ---- bodies
expectTypeOf<Body<typeof operate.limitBody>>().toEqualTypeOf<Plain<wire.QueueLimitBody>>();
expectTypeOf<Body<typeof operate.scheduleEditBody>>().toEqualTypeOf<Plain<wire.ScheduleEditBody>>();
expectTypeOf<Body<typeof schemas.runBody>>().toEqualTypeOf<Plain<wire.StartBody>>();
expectTypeOf<Body<typeof schemas.scheduleBody>>().toEqualTypeOf<Plain<wire.ScheduleBody>>();
expectTypeOf<Body<typeof schemas.postBody>>().toEqualTypeOf<Plain<wire.EventBody>>();
expectTypeOf<Body<typeof schemas.answerBody>>().toEqualTypeOf<Plain<wire.AnswerBody>>();
expectTypeOf<Body<typeof schemas.cancelBody>>().toEqualTypeOf<Plain<wire.CancelBody>>();
expectTypeOf<Body<typeof bulk.bulkBody>>().toEqualTypeOf<Plain<wire.BulkBody>>();
expectTypeOf<Body<typeof schemas.forkBody>>().toEqualTypeOf<Plain<wire.ForkBody>>();

// ---- queries
expectTypeOf<Query<typeof schemas.listQuery>>().toEqualTypeOf<keyof wire.ListParams>();
expectTypeOf<keyof schemas.ListFilter>().toEqualTypeOf<keyof wire.ListFilterParams>();
expectTypeOf<Query<typeof schemas.countQuery>>().toEqualTypeOf<keyof wire.CountParams>();
expectTypeOf<Query<typeof bulk.matchQuery>>().toEqualTypeOf<keyof wire.MatchParams>();
expectTypeOf<Query<typeof schemas.handlerQuery>>().toEqualTypeOf<keyof wire.HandlerParams>();
expectTypeOf<Query<typeof schemas.cancelQuery>>().toEqualTypeOf<keyof wire.CancelParams>();
expectTypeOf<Query<typeof schemas.streamQuery>>().toEqualTypeOf<keyof wire.StreamParams>();
expectTypeOf<Query<typeof schemas.historyQuery>>().toEqualTypeOf<keyof wire.HistoryParams>();
expectTypeOf<Query<typeof schemas.attemptsQuery>>().toEqualTypeOf<keyof wire.AttemptsParams>();
expectTypeOf<Query<typeof schemas.momentQuery>>().toEqualTypeOf<keyof wire.MomentParams>();
expectTypeOf<Query<typeof schemas.scheduleQuery>>().toEqualTypeOf<keyof wire.ScheduleParams>();
expectTypeOf<Query<typeof schemas.nextQuery>>().toEqualTypeOf<keyof wire.OccurrenceParams>();
expectTypeOf<Query<typeof about.sessionQuery>>().toEqualTypeOf<keyof wire.SessionParams>();
expectTypeOf<Query<typeof counted.statisticsQuery>>().toEqualTypeOf<keyof wire.StatisticsParams>();
expectTypeOf<Query<typeof counted.failuresQuery>>().toEqualTypeOf<keyof wire.FailureParams>();
expectTypeOf<Query<typeof about.testQuery>>().toEqualTypeOf<keyof wire.TestParams>();
expectTypeOf<Query<typeof operate.budgetQuery>>().toEqualTypeOf<keyof wire.BudgetParams>();
expectTypeOf<Query<typeof schemas.histogramQuery>>().toEqualTypeOf<keyof wire.HistogramParams>();
