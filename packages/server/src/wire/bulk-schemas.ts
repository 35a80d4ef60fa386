/** Schemas of requests about many runs. */
import { z } from "@hono/zod-openapi";
import { most, newIdMeaning, newIdPattern } from "./names.js";
import { handlerIdText, idText, listFilterQuery, readAll, whole } from "./schemas.js";

const action = z.enum(["retry", "resume", "cancel", "delete", "answer"]);

const cancelledBy = handlerIdText.describe(
  "Of `resume`, in place of the conditions of the query: the runs that this job has cancelled.",
);

export const bulkBody = z
  .strictObject(
    {
      action: action.describe("`answer` also needs the right `answer`."),
      handler_ids: z
        .array(handlerIdText)
        .min(1)
        .max(1000)
        .nullish()
        .describe("Exactly these runs, in place of the conditions of the query."),
      cancelled_by: cancelledBy.nullish(),
      handler_id: idText(newIdPattern, newIdMeaning).nullish().describe("Of the job."),
      per_second: z.number().int().min(1).max(1000).nullish().describe("Runs per second, at most; 100 if left out."),
      reason: z.unknown().optional().describe("Of `cancel`."),
      fields: z.record(z.string(), z.unknown()).nullish().describe("Of `answer`."),
      prompt: z.string().min(1).max(most.name).nullish().describe("Of `answer`: only prompts of this type."),
    },
    readAll,
  )
  .openapi("BulkBody");

/** A condition that is misspelled must not be left out: more runs would match. */
export const bulkQuery = listFilterQuery.strict();

export const matchQuery = bulkQuery.extend({
  action,
  cancelled_by: cancelledBy.optional(),
  most: whole({ minimum: 1, maximum: 100_000, default: 10_000 }).describe("Where counting stops."),
});
