/** Schemas of what there is to workflows, and of sessions. */
import { z } from "@hono/zod-openapi";
import { cursorText } from "./cursor.js";
import { most } from "./names.js";
import { counts, handler, repeated, time, whole } from "./schemas.js";

const anything = z.unknown();

export const sessionQuery = z.object({
  q: z.string().max(most.id).optional().describe("The beginning of an id."),
  limit: whole({ minimum: 1, maximum: 100, default: 50 }),
  cursor: cursorText,
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
    sendable: z.boolean().describe("Whether `POST /events/{id}` takes it."),
  }),
);

export const stepSource = z
  .object({
    file: z.string().openapi({ description: "Relative to the folder of the project.", example: "src/refund.ts" }),
    line: z.int().min(1).describe("Of the first line of `text`."),
    text: z.string(),
  })
  .openapi("StepSource");

const testFile = z.object({
  path: z
    .string()
    .openapi({ description: "Relative to the folder of the project.", example: "test/refund-17.test.ts" }),
  text: z.string(),
});

export const runTest = z
  .object({
    recording: testFile.describe("What the calls, models and people of the run answered."),
    test: testFile.describe("A test for Vitest, which reads it."),
  })
  .openapi("RunTest");

export const testQuery = z.object({
  redact: repeated(z.string().min(1).max(most.name)).describe("Fields whose texts are replaced; repeatable."),
});

const graphEdge = z.object({ kind: z.string(), from: z.string(), to: z.string(), label: z.string().optional() });

const stepExecutor = z.object({ kind: z.string(), name: z.string(), members: z.array(anything).optional() });

const graphNode = z.looseObject({
  kind: z.enum(["step", "event", "resource", "outside"]),
  id: z.string(),
  name: z.string(),
  label: z.string().optional().describe("Of a step or event: what to show for its name."),
  executor: stepExecutor.nullish().describe("Of a step that the author of a pipeline wrote: what does its work."),
  worksFor: z
    .string()
    .nullish()
    .describe("Of a step that asks people or gathers branches for another one: the id of that one."),
});

const graphGroup = z.object({
  id: z.string(),
  label: z.string(),
  kind: z.string().openapi({ example: "loop" }),
  parent: z.string().nullable(),
  nodes: z.array(z.string()),
  enteredBy: z.string().nullable().describe("Id of the step that enters the group."),
  workflow: z.string().nullable().describe("The one of `children` that the group runs."),
  branches: z
    .array(
      z.object({
        role: z.string().openapi({ example: "else" }),
        name: z.string().nullable().describe("That of its only step or group."),
        nodes: z.array(z.string()),
        groups: z.array(z.string()).describe("Ids of the groups in it."),
      }),
    )
    .describe("What runs at the same time in it, or instead of each other."),
});

const oneGraph = z.object({
  name: z.string(),
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
  groups: z.array(graphGroup),
});

export const graph = oneGraph
  .extend({
    children: z.array(oneGraph).describe("Workflows that run as children, at any depth, each once."),
  })
  .openapi("WorkflowGraph");

export const session = z
  .object({
    session_id: z.string(),
    user_id: z.string().nullable(),
    name: z.string().nullable(),
    runs: z.number().describe("Of a pipeline at most 1,000."),
    updated_at: time,
  })
  .openapi("Session");

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
    messages: z.array(anything).optional().describe("Messages of an agent in these runs."),
  })
  .openapi("SessionDetails");
