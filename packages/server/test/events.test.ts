/** Events into runs and out of them, over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Handler } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { readSse, type SseEvent } from "./read-sse.js";
import { ServerProcess } from "./server-process.js";

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ limits: { heartbeatMs: 40 } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** A run that has shown the numbers 1 to `to`. */
async function counted(to: number): Promise<string> {
  const { body } = await server.post<Handler>("/workflows/count/run", { kwargs: { to } });
  return body.handler_id;
}

async function waiting(workflow: string): Promise<{ readonly id: string; readonly promptId: string }> {
  const { body } = await server.post<Handler>(`/workflows/${workflow}/run`);
  return { id: body.handler_id, promptId: body.prompts[0]?.prompt_id ?? "" };
}

async function sse(path: string, headers: Record<string, string> = {}): Promise<SseEvent[]> {
  return eventsOf(await server.fetch(path, { headers }));
}

async function eventsOf(response: Response): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of readSse(response)) events.push(event);
  return events;
}

const idsOf = (events: readonly SseEvent[]): number[] => events.map(({ id }) => id);

describe("GET /events/{id}", () => {
  it("gives everything from the beginning, and ends with the stop event", async () => {
    const id = await counted(3);

    const events = await sse(`/events/${id}`);
    expect(idsOf(events)).toEqual([0, 1, 2, 3]);
    expect(events[0]?.data).toEqual({
      value: { number: 1 },
      type: "Counted",
      types: null,
      qualified_name: "Counted",
      sequence: 0,
      origin: null,
      writer: "2",
    });
    expect(events.at(-1)?.data).toMatchObject({ type: "StopEvent", value: { result: 3 } });
  });

  it("is a stream of Server-Sent Events that says when to come back", async () => {
    const response = await server.fetch(`/events/${await counted(1)}`);

    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(await response.text()).toMatch(/^retry: 1000\n\nid: 0\ndata: \{/);
  });

  it("gives lines of JSON with their numbers", async () => {
    const { body, headers } = await server.get(`/events/${await counted(2)}?sse=false&include_qualified_name=false`);

    const lines = body
      .trim()
      .split("\n")
      .map(JSON.parse as (line: string) => object);
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(lines).toMatchObject([{ sequence: 0 }, { sequence: 1 }, { sequence: 2, type: "StopEvent" }]);
    expect(lines[0]).not.toHaveProperty("qualified_name");
  });

  it.each([
    ["?after_sequence=1", {}, [2, 3]],
    ["?after_sequence=-1", {}, [0, 1, 2, 3]],
    ["", { "last-event-id": "2" }, [3]],
    ["?after_sequence=0", { "last-event-id": "2" }, [3]],
    ["?after_sequence=2", { "last-event-id": "x" }, [3]],
    ["?after_sequence=2", { "last-event-id": "-1" }, [3]],
  ] as const)("begins where %s and %o say", async (query, headers, ids) => {
    expect(idsOf(await sse(`/events/${await counted(3)}${query}`, headers))).toEqual(ids);
  });

  it.each(["9007199254740992", "9".repeat(16), "1".repeat(400)])("refuses Last-Event-ID: %s", async (lastEventId) => {
    const answer = await server.get(`/events/${await counted(1)}`, { "last-event-id": lastEventId });

    expect(answer).toMatchObject({
      status: 400,
      body: { code: "QUERY_INVALID", hint: expect.stringContaining("the `id` of the last event") },
    });
  });

  it("takes a Last-Event-ID of sixteen digits for what it says", async () => {
    expect((await server.get(`/events/${await counted(1)}`, { "last-event-id": "1111111111111111" })).status).toBe(204);
  });

  it("answers 204 where a run has ended and nothing is left", async () => {
    const id = await counted(1);

    expect((await server.get(`/events/${id}?after_sequence=1`)).status).toBe(204);
    expect((await server.get(`/events/${id}?after_sequence=now`)).status).toBe(204);
    expect((await server.get(`/events/${id}`, { "last-event-id": "1" })).status).toBe(204);
  });

  it.each([
    ...["x", "-2", "1.5", "", "%201", "0x1", "1e1", "1&after_sequence=1"].map((text) => `after_sequence=${text}`),
    ...["until=never", "sse=maybe"],
  ])("refuses ?%s", async (query) => {
    const answer = await server.get(`/events/${await counted(1)}?${query}`);

    expect(answer).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
  });

  it("gives only what is still to come after `now`", async () => {
    const { id, promptId } = await waiting("refund");
    // Where it begins is settled before its head is sent.
    const reading = await server.fetch(`/events/${id}?after_sequence=now`);

    await server.post(`/handlers/${id}/prompts/${promptId}`, { fields: { approved: true } });
    expect((await eventsOf(reading)).map(({ data }) => data.type)).toEqual(["StopEvent"]);
  });

  it("ends where the run waits with until=idle, prompt included", async () => {
    const { body } = await server.start("refund");

    const events = await sse(`/events/${body.handler_id}?until=idle`);
    expect(events.map(({ data }) => [data.type, typeof data.prompt_id])).toEqual([["ApproveRefund", "string"]]);
    expect(await sse(`/events/${body.handler_id}?until=idle&after_sequence=0`)).toEqual([]);
    expect((await sse(`/events/${await counted(2)}?until=idle`)).at(-1)?.data.type).toBe("StopEvent");
  });

  it("says that it is alive while nothing happens", async () => {
    const { id, promptId } = await waiting("refund");
    const { body } = await server.fetch(`/events/${id}?after_sequence=now`);
    let text = "";
    let beats = 0;
    let answered: Promise<unknown> | null = null;
    for await (const chunk of body as ReadableStream<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      beats = text.split(": heartbeat\n\n").length - 1;
      if (beats > 1) answered ??= server.post(`/handlers/${id}/prompts/${promptId}`, { fields: { approved: true } });
    }

    expect(beats).toBeGreaterThan(1);
    expect(await answered).toMatchObject({ status: 200 });
    expect(text).toContain('"result":"refunded A-17"');
  });

  it("shows values that JSON cannot hold, and how to read them", async () => {
    const { id } = await waiting("mailbox");

    const [sent] = await sse(`/events/${id}?until=idle`);
    expect(sent?.data).toMatchObject({ value: { at: "1970-01-01T00:00:00.000Z" }, meta: expect.anything() });
  });

  it("shows failures without stacks", async () => {
    const { body } = await server.post<Handler>("/workflows/fail/run");

    const text = await (await server.fetch(`/events/${body.handler_id}`)).text();
    expect(text).toContain('"type":"WorkflowFailedEvent"');
    expect(text).toContain("/secret.json: it is gone");
    expect(text).not.toMatch(/"stack"|workflows\.ts/);
  });

  it("goes on after a restart of the server, from where the reader was", async () => {
    const { body } = await server.start("count", { kwargs: { to: 400, pauseEvery: 10 } });
    const seen: SseEvent[] = [];
    for await (const event of readSse(await server.fetch(`/events/${body.handler_id}`))) {
      seen.push(event);
      if (seen.length === 50) break;
    }

    await server.restart();
    seen.push(...(await sse(`/events/${body.handler_id}`, { "last-event-id": String(seen.at(-1)?.id) })));
    expect(idsOf(seen)).toEqual(seen.map((_event, index) => index));
    const numbers = seen.flatMap(({ data }) =>
      data.type === "Counted" ? [(data.value as { number: number }).number] : [],
    );
    expect(new Set(numbers).size).toBe(400);
    expect(seen.at(-1)?.data).toMatchObject({ type: "StopEvent", value: { result: 400 } });
  });
});

describe("POST /events/{id}", () => {
  const letter = { type: "Letter", value: { text: "hello" } };

  it.each([
    ["an envelope", letter],
    [
      "an envelope with `data` and a qualified name",
      { type: "Letter", data: letter.value, qualified_name: "os.system" },
    ],
    ["a JSON string", JSON.stringify(letter)],
  ])("takes %s", async (_name, event) => {
    const { id } = await waiting("mailbox");

    expect(await server.post(`/events/${id}`, { event })).toMatchObject({
      status: 200,
      body: { status: "sent", sequence: expect.any(Number) },
    });
    expect((await server.ended(id)).result?.value).toEqual({ result: "hello (1)" });
  });

  it("delivers two requests of one key once", async () => {
    const { id } = await waiting("mailbox");
    const post = () => server.post(`/events/${id}`, { event: letter }, { "idempotency-key": "letter-1" });

    const first = await post();
    const second = await post();
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  it.each([
    ["a type that nobody knows", { type: "Lettr", value: {} }, 400, "EVENT_UNKNOWN"],
    ["a type of Object", { type: "constructor", value: {} }, 400, "EVENT_UNKNOWN"],
    ["only a qualified name", { value: {}, qualified_name: "os.system" }, 400, "BODY_INVALID"],
    ["fields that do not fit", { type: "Letter", value: { text: 7 } }, 400, "EVENT_INVALID"],
    ["fields that are a list", { type: "Letter", value: [] }, 400, "BODY_INVALID"],
    ["a stop event", { type: "StopEvent", value: { result: 1 } }, 400, "EVENT_NOT_SENDABLE"],
    ["an event of the engine", { type: "WorkflowFailedEvent", value: {} }, 400, "EVENT_UNKNOWN"],
    ["a string that is not JSON", "{", 400, "BODY_INVALID"],
    ["meta that means nothing", { ...letter, meta: { text: ["Function"] } }, 400, "SNAPSHOT_INVALID"],
  ])("refuses %s", async (_name, event, status, code) => {
    const { id } = await waiting("mailbox");

    expect(await server.post(`/events/${id}`, { event })).toMatchObject({ status, body: { code } });
  });

  it("refuses one for a step that there is not, and for a run that has ended", async () => {
    const { id } = await waiting("mailbox");

    expect(await server.post(`/events/${id}`, { event: letter, step: "opne" })).toMatchObject({ status: 400 });
    await server.post(`/events/${id}`, { event: letter });
    await server.ended(id);
    expect(await server.post(`/events/${id}`, { event: letter })).toMatchObject({
      status: 409,
      body: { code: "RUN_FINISHED" },
    });
  });
});

describe("prompts", () => {
  it("are listed and answered", async () => {
    const { id, promptId } = await waiting("refund");

    expect((await server.get(`/handlers/${id}/prompts`)).body).toEqual({
      prompts: [
        {
          prompt_id: promptId,
          event: expect.objectContaining({ type: "ApproveRefund" }),
          run_id: id,
          step: "refund",
          asked_at: expect.stringMatching(/^\d{4}-.*Z$/),
          due_at: null,
          answer: {
            type: "RefundDecision",
            schema: {
              title: "RefundDecision",
              type: "object",
              properties: { approved: { type: "boolean" } },
              required: ["approved"],
            },
          },
        },
      ],
    });
    expect(await server.post(`/handlers/${id}/prompts/${promptId}`, { fields: { approved: true } })).toMatchObject({
      status: 200,
      body: { status: "accepted", sequence: expect.any(Number) },
    });
    expect((await server.ended(id)).result?.value).toEqual({ result: "refunded A-17" });
    expect((await server.get(`/handlers/${id}/prompts`)).body).toEqual({ prompts: [] });
  });

  it("are the same in the record, in the list and in another process, in which they are answered", async () => {
    const { id, promptId } = await waiting("refund");
    const { prompts } = (await server.get(`/handlers/${id}/prompts`)).body;
    const listed = async (): Promise<Json> => {
      const { handlers } = (await server.get("/handlers?workflow_name=refund")).body;
      return handlers.find((one: Json) => one.handler_id === id).prompts;
    };

    expect((await server.get(`/handlers/${id}`)).body.prompts).toEqual(prompts);
    expect(await listed()).toEqual(prompts);
    await server.restart();
    await expect.poll(listed).toEqual(prompts); // once it has been taken up
    expect((await server.get(`/handlers/${id}/prompts`)).body).toEqual({ prompts });
    await server.post(`/handlers/${id}/prompts/${promptId}`, { fields: { approved: false } });
    expect((await server.ended(id)).result?.value).toEqual({ result: "refused" });
  });

  it("refuse an answer that does not fit, and one to a prompt that is gone", async () => {
    const { id, promptId } = await waiting("refund");
    const path = `/handlers/${id}/prompts/${promptId}`;

    expect(await server.post(path, { fields: { approved: "yes" } })).toMatchObject({
      status: 400,
      body: { code: "EVENT_INVALID", issues: [{ path: "approved" }] },
    });
    expect(await server.post(`/handlers/${id}/prompts/other`, {})).toMatchObject({
      status: 409,
      body: { code: "PROMPT_CLOSED" },
    });
    const key = { "idempotency-key": "click" };
    expect(await server.post(path, { fields: { approved: true } }, key)).toMatchObject({ status: 200 });
    expect((await server.ended(id)).status).toBe("completed");
  });
});
