/** Routes that say whether the server is up and what it offers. */
import { z } from "@hono/zod-openapi";
import { WorkflowError } from "millrace";
import { roleOf } from "millrace/engine";
import { describeWorkflow, toMermaid, type WorkflowDescription } from "millrace/graph";
import { shownRoles, workflowDetails } from "../runs/workflow-details.js";
import { eventRoles, graph, workflowList } from "../wire/about-schemas.js";
import { anyEventJsonSchema, eventJsonSchema } from "../wire/event-schema.js";
import { nameParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const tag = "Workflows";
const schema = z.record(z.string(), z.unknown());

export function mountAbout(server: Server): void {
  const health = z.object({ status: z.enum(["healthy", "unhealthy"]) });
  mount(server, {
    route: "GET /health",
    needs: null,
    operation: "getHealth",
    summary: "Reports whether the store responds. Needs no credentials",
    tag: "Server",
    isOpen: true,
    answers: { 200: ["The store responds", health], 503: ["The store does not respond", health] },
    handle: async () => {
      const isHealthy = await answers(server);
      return json({ status: isHealthy ? "healthy" : "unhealthy" }, isHealthy ? 200 : 503);
    },
  });
  mount(server, {
    route: "GET /workflows",
    needs: ["any", "some"],
    operation: "listWorkflows",
    summary: "Lists all workflows, with what has become of their runs",
    tag,
    answers: { 200: ["Names, and what there is to each", workflowList] },
    handle: async ({ identity }) => {
      const details = await workflowDetails(server, identity);
      return json({ workflows: details.map(({ name }) => name), details });
    },
  });
  mountShapes(server);
}

/** All but the routing table of the engine. */
function graphOf({ nodes, edges, groups }: WorkflowDescription, name: string) {
  return { name, nodes, edges, groups };
}

/** Queries the store for a run that does not exist. */
async function answers({ runtime }: Server): Promise<boolean> {
  try {
    await runtime.handle("health of the server").summary();
    return true;
  } catch (error) {
    return WorkflowError.is(error, "RUN_UNKNOWN");
  }
}

function mountShapes(server: Server): void {
  const { catalog } = server;
  const ofWorkflow = { tag, params: nameParams } as const;
  mount(server, {
    ...ofWorkflow,
    route: "GET /workflows/{name}/schema",
    needs: ["any", "workflow"],
    operation: "getWorkflowSchema",
    summary: "JSON Schemas of the events that start and end a run",
    answers: { 200: ["Schemas", z.object({ start: schema, stop: schema })] },
    handle: ({ params }) => {
      const { compiled, events } = catalog.get(params.name);
      const stops = [...events.values()].filter(
        (eventClass) => roleOf(eventClass) === "stop" && compiled.registry.get(eventClass.type) === eventClass,
      );
      return json({ start: anyEventJsonSchema(compiled.startClasses), stop: anyEventJsonSchema(stops) });
    },
  });
  mount(server, {
    ...ofWorkflow,
    route: "GET /workflows/{name}/events",
    needs: ["any", "workflow"],
    operation: "getWorkflowEvents",
    summary: "JSON Schemas of all events of the workflow",
    answers: {
      200: ["Schemas, titled with the type of the event", z.object({ events: z.array(schema), roles: eventRoles })],
    },
    handle: ({ params }) => {
      const { events, posted } = catalog.get(params.name);
      const rolesOf = [...events].map(([type, one]) => {
        const role = shownRoles[roleOf(one)];
        return [type, { role, sendable: posted.has(type) }] as const;
      });
      return json({ events: [...events.values()].map(eventJsonSchema), roles: Object.fromEntries(rolesOf) });
    },
  });
  mount(server, {
    ...ofWorkflow,
    route: "GET /workflows/{name}/representation",
    needs: ["any", "workflow"],
    operation: "getWorkflowGraph",
    summary: "The graph, as data and as Mermaid",
    answers: { 200: ["The graph", z.object({ graph, mermaid: z.string() })] },
    handle: ({ params }) => {
      const description = describeWorkflow(catalog.get(params.name).workflow);
      const children = description.children.map((child) => graphOf(child, child.name));
      return json({
        graph: { ...graphOf(description, params.name), children },
        mermaid: toMermaid(description),
      });
    },
  });
}
