/** Schemas of the audit. */
import { z } from "@hono/zod-openapi";
import { cursorText } from "./cursor.js";
import { most } from "./names.js";
import { answeredBy, handlerIdText, pageLimit, repeated, time } from "./schemas.js";

const action = z.enum([
  ...(["start", "fork", "answer", "send", "cancel", "resume", "retry", "delete"] as const),
  ...(["queue.pause", "queue.resume", "queue.limit", "queue.reset"] as const),
  ...(["schedule.set", "schedule.pause", "schedule.resume", "schedule.edit", "schedule.reset"] as const),
  ...(["schedule.start", "schedule.delete"] as const),
]);
const name = z.string().min(1).max(most.name).optional();

export const auditQuery = z.object({
  user: name.describe("Only what this person or program did."),
  door: name.describe("Only what came through this door, such as `chat`."),
  action: action.optional(),
  handler_id: handlerIdText.optional().describe("Only of this run."),
  workflow_name: repeated(z.string()),
  limit: pageLimit,
  cursor: cursorText,
});

export const auditEntry = z
  .object({
    at: time,
    action,
    handler_id: z.string().describe("Empty where it was done to no run."),
    workflow_name: z.string().describe("Empty for a queue."),
    by: answeredBy,
    prompt_id: z.string().optional().describe("Of an answer."),
    queue: z.string().optional().describe("The queue that was changed."),
    schedule: z.string().optional().describe("The schedule that was changed."),
  })
  .openapi("AuditEntry");
