/** The client of LlamaAgents as its users have it, against our server: everything that it exports. */
import {
  createClient,
  createConfig,
  getEventsByHandlerId,
  getHandlers,
  getHandlersByHandlerId,
  getHealth,
  getResultsByHandlerId,
  getWorkflows,
  getWorkflowsByNameEvents,
  getWorkflowsByNameRepresentation,
  getWorkflowsByNameSchema,
  postEventsByHandlerId,
  postHandlersByHandlerIdCancel,
  postWorkflowsByNameRun,
  postWorkflowsByNameRunNowait,
} from "@llamaindex/workflows-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess } from "./server-process.js";

const token = "secret";
let server: ServerProcess;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  server = await ServerProcess.start({ tokens: [token], internalEvents: ["count"] });
  const headers = { authorization: `Bearer ${token}` };
  client = createClient(createConfig({ baseUrl: server.url, headers }));
});
afterAll(() => server[Symbol.asyncDispose]());

async function start(name: string, kwargs: Record<string, unknown> = {}): Promise<string> {
  const { data } = await postWorkflowsByNameRunNowait({ client, path: { name }, body: { kwargs } });
  return data?.handler_id as string;
}

interface Shown {
  readonly type: string;
  readonly value: unknown;
}

async function shown(handlerId: string, query: { after_sequence?: number } = {}): Promise<Shown[]> {
  const { stream } = await getEventsByHandlerId({ client, path: { handler_id: handlerId }, query });
  const all: Shown[] = [];
  for await (const item of stream) all.push(item as Shown);
  return all;
}

describe("@llamaindex/workflows-client", () => {
  it("asks what there is", async () => {
    expect((await getHealth({ client })).data).toEqual({ status: "healthy" });
    expect((await getWorkflows({ client })).data?.workflows).toContain("add");
    const path = { name: "add" };
    expect((await getWorkflowsByNameSchema({ client, path })).data).toMatchObject({ start: { title: "Add" } });
    expect((await getWorkflowsByNameEvents({ client, path })).data?.events).toHaveLength(2);
    expect((await getWorkflowsByNameRepresentation({ client, path })).data).toMatchObject({ graph: { name: "add" } });
  });

  it("runs a workflow and waits for it", async () => {
    const { data, response } = await postWorkflowsByNameRun({
      client,
      path: { name: "add" },
      body: { start_event: { left: 2, right: 3 }, handler_id: "mine" },
    });

    expect(response.status).toBe(200);
    expect(data).toMatchObject({ handler_id: "mine", status: "completed", result: { type: "Sum", value: { sum: 5 } } });
  });

  it("starts a run, reads its stream and its result", async () => {
    const id = await start("count", { to: 3 });

    expect(await shown(id)).toMatchObject([
      { type: "Counted", value: { number: 1 } },
      { type: "Counted", value: { number: 2 } },
      { type: "Counted", value: { number: 3 } },
      { type: "StopEvent", value: { result: 3 } },
    ]);
    expect(await shown(id, { after_sequence: 1 })).toMatchObject([{ type: "Counted" }, { type: "StopEvent" }]);
    const path = { handler_id: id };
    expect((await getHandlersByHandlerId({ client, path })).data).toMatchObject({
      status: "completed",
      result: { type: "StopEvent", types: null, value: { result: 3 } },
    });
    expect((await getResultsByHandlerId({ client, path })).data).toMatchObject({ status: "completed", result: 3 });
  });

  it("sends an event to a run that waits for one", async () => {
    const id = await start("mailbox");
    const path = { handler_id: id };
    const reading = shown(id);

    const waiting = await getResultsByHandlerId({ client, path });
    expect(waiting.response.status).toBe(202);
    expect(waiting.data).toMatchObject({ handler_id: id, status: "running", result: null });
    const event = JSON.stringify({ type: "Letter", value: { text: "hello" }, qualified_name: "app.Letter" });
    const sent = await postEventsByHandlerId({ client, path, body: { event } });
    expect(sent.data).toMatchObject({ status: "sent" });
    expect((await reading).at(-1)).toMatchObject({ type: "StopEvent", value: { result: "hello (1)" } });
    expect((await postEventsByHandlerId({ client, path, body: { event } })).response.status).toBe(409);
  });

  it("sends an event between steps where the workflow is named for it, and nowhere else", async () => {
    const send = async (name: string, type: string, value: object, kwargs: Record<string, unknown> = {}) => {
      const path = { handler_id: await start(name, kwargs) };
      return postEventsByHandlerId({ client, path, body: { event: JSON.stringify({ type, value }) } });
    };

    const jump = await send("count", "Next", { from: 9_999, to: 9_999, pauseEvery: 1 }, { to: 9_999, pauseEvery: 1 });
    expect(jump.data).toMatchObject({ status: "sent" });
    const again = await send("refund", "StartEvent", {});
    expect(again.response.status).toBe(400);
    expect(again.error).toMatchObject({ code: "EVENT_NOT_SENDABLE" });
  });

  it("lists and cancels runs", async () => {
    const id = await start("refund");
    const path = { handler_id: id };
    const query = { status: ["running", "failed"] as ("running" | "failed")[], workflow_name: ["refund", "add"] };

    const listed = (await getHandlers({ client, query })).data?.handlers;
    expect(listed?.map(({ handler_id }) => handler_id)).toContain(id);
    expect((await postHandlersByHandlerIdCancel({ client, path })).data).toEqual({ status: "cancelled" });
    expect((await getHandlersByHandlerId({ client, path })).data).toMatchObject({ status: "cancelled" });
    expect((await postHandlersByHandlerIdCancel({ client, path })).response.status).toBe(404);
    const purged = await postHandlersByHandlerIdCancel({ client, path, query: { purge: true } });
    expect(purged.data).toEqual({ status: "deleted" });
    expect((await getHandlersByHandlerId({ client, path })).response.status).toBe(404);
  });

  it("is told what went wrong", async () => {
    const { data, response } = await postWorkflowsByNameRun({ client, path: { name: "fail" } });

    expect(response.status).toBe(200); // of LlamaAgents it is 500
    expect(data).toMatchObject({ status: "failed", error: expect.stringContaining("could not read") });
    const handler_id = data?.handler_id as string;
    const failed = await getResultsByHandlerId({ client, path: { handler_id } });
    expect(failed.response.status).toBe(200);
    expect(failed.data).toMatchObject({ status: "failed", result: null, error: expect.any(String) });
    const { error } = await postWorkflowsByNameRun({ client, path: { name: "add" }, body: { start_event: {} } });
    expect(error).toMatchObject({ detail: expect.stringContaining("left"), code: "EVENT_INVALID" });
    expect((await getResultsByHandlerId({ client, path: { handler_id: "nobody" } })).response.status).toBe(404);
  });
});

/** What `llama_agents.client.WorkflowClient` 0.3 of Python sends. */
describe("the requests of the Python client", () => {
  async function run(name: string, startEvent: object) {
    const response = await fetch(`${server.url}/workflows/${name}/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ start_event: startEvent, context: {} }), // it always sends a context
    });
    return { status: response.status, body: await response.json() };
  }

  it("start a run with the fields of the start event", async () => {
    const answer = await run("add", { left: 2, right: 3 });

    expect(answer).toMatchObject({ status: 200, body: { status: "completed", result: { value: { sum: 5 } } } });
  });

  it("start a run with an envelope", async () => {
    const envelope = { value: { left: 2, right: 3 }, type: "Add", types: ["StartEvent"], qualified_name: "app.Add" };

    expect(await run("add", envelope)).toMatchObject({ status: 200, body: { result: { value: { sum: 5 } } } });
  });
});
