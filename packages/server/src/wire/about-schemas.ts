/** Schemas of what there is to workflows, and of sessions. */
import { z } from "@hono/zod-openapi";
import { most } from "./names.js";
import { counts, handler, time, whole } from "./schemas.js";

const anything = z.unknown();

export const sessionQuery = z.object({
  q: z.string().max(most.id).optional().openapi({ description: "The beginning of an id." }),
  limit: whole({ minimum: 1, maximum: 100, default: 50 }),
  cursor: z.string().min(1).max(4000).optional(),
});
export type SessionQuery = z.infer<typeof sessionQuery>;

export const sessionParams = z.object({ id: z.string().min(1).max(1_000) });

export const workflowList = z
  .object({
    workflows: z.array(z.string()),
    details: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(["workflow", "pipeline"]),
        description: z.string().nullable(),
        counts,
        last_run: z.object({ handler_id: z.string(), status: handler.shape.status, started_at: time }).nullable(),
      }),
    ),
  })
  .openapi("WorkflowList");
export type WorkflowDetails = z.infer<typeof workflowList>["details"][number];

export const eventRoles = z.record(
  z.string(),
  z.object({
    role: z.enum([
      "start",
      "stop",
      "event",
      "input_required",
      "human_response",
      "external",
      "step_failed",
      "terminal",
      "engine",
    ]),
    sendable: z.boolean().openapi({ description: "Whether `POST /events/{id}` takes it." }),
  }),
);
export type ShownRole = z.infer<typeof eventRoles>[string]["role"];

export const session = z
  .object({
    session_id: z.string(),
    user_id: z.string().nullable(),
    name: z.string().nullable(),
    runs: z.number().openapi({ description: "Of a pipeline at most 1,000, of an agent at most 100 are counted." }),
    updated_at: time,
  })
  .openapi("Session");
export type Session = z.infer<typeof session>;

export const sessionDetails = z
  .object({
    session_id: z.string(),
    user_id: z.string().nullable(),
    state: anything,
    runs: z.array(
      z.object({
        handler_id: z.string(),
        workflow_name: z.string(),
        input: anything,
        output: anything,
        at: time,
        status: z.string(),
      }),
    ),
    messages: z.array(anything).optional().openapi({ description: "Of an agent: what was said in these runs." }),
  })
  .openapi("SessionDetails");
export type SessionDetails = z.infer<typeof sessionDetails>;
