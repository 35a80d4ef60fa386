/** Schemas of the audit. */
import { z } from "@hono/zod-openapi";
import { cursorText } from "./cursor.js";
import { most } from "./names.js";
import { answeredBy, handlerIdText, pageLimit, repeated, time } from "./schemas.js";

const action = z.enum(["start", "fork", "answer", "send", "cancel", "resume", "retry", "delete"]);
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
    handler_id: z.string(),
    workflow_name: z.string(),
    by: answeredBy,
    prompt_id: z.string().optional().describe("Of an answer."),
  })
  .openapi("AuditEntry");
