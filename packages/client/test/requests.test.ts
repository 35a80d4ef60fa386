import { WorkflowError as CoreError } from "millrace";
import { describe, expect, it } from "vitest";
import { type Client, ClientError, type ClientOptions, createClient, type Flows, WorkflowError } from "../src/index.js";
import { cut, frame, handlerRecord, json, lastFrame, listen, openSse } from "./support/listen.js";

function clientOf(baseUrl: string, more: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl, retry: { delayMs: 1, maxDelayMs: 5 }, ...more });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("client.run", () => {
  it("names the run and the request, and gives the result", async () => {
    await using server = await listen(({ method, path }, response) => {
      if (path.startsWith("/events/")) {
        openSse(response);
        return void response.end(lastFrame(0));
      }
      json(response, 200, handlerRecord(method === "POST" ? "running" : "completed"));
    });

    const run = clientOf(server.baseUrl).run("joke", { topic: "pirates" });

    expect(run.handlerId).toMatch(uuid);
    expect(await run).toBe("done");
    const [start, ...rest] = server.asked;
    expect(start).toMatchObject({
      method: "POST",
      path: "/workflows/joke/run-nowait",
      body: { start_event: { topic: "pirates" }, handler_id: run.handlerId },
    });
    expect(start?.headers).toMatchObject({ "content-type": "application/json", "idempotency-key": expect.any(String) });
    expect(rest.map(({ path, query }) => [path, query.get("after_sequence")])).toEqual([
      [`/events/${run.handlerId}`, "now"],
      [`/handlers/${run.handlerId}`, null],
    ]);
  });

  it("sends the same request again when the answer is lost", async () => {
    await using server = await listen((_, response, times) => {
      if (times === 0) return void response.destroy();
      if (times === 1) return cut(response.writeHead(200, { "content-length": "100" }), '{"handler_id":');
      if (times === 2) return json(response, 503, {});
      json(response, 200, handlerRecord("completed"));
    });

    expect(await clientOf(server.baseUrl).run("joke")).toBe("done");

    const posts = server.asked.filter(({ method }) => method === "POST");
    expect(posts).toHaveLength(4);
    expect(new Set(posts.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(new Set(posts.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  it("takes a run that exists under an id of its own for the run that it asked for", async () => {
    await using server = await listen(({ method }, response, times) => {
      if (method === "GET") return json(response, 200, handlerRecord("completed"));
      if (times === 0) return void response.destroy();
      json(response, 409, { detail: "There is already one.", code: "RUN_ID_CONFLICT" });
    });

    expect(await clientOf(server.baseUrl).run("joke")).toBe("done");
  });

  it("fails with the conflict where the caller chose the id", async () => {
    await using server = await listen((_, response) =>
      json(response, 409, { detail: "Taken.", code: "RUN_ID_CONFLICT" }),
    );

    const run = clientOf(server.baseUrl).run("joke", {}, { handlerId: "mine" });

    await expect(run.accepted).rejects.toMatchObject({ code: "RUN_ID_CONFLICT", status: 409 });
    await expect(run).rejects.toMatchObject({ code: "RUN_ID_CONFLICT" });
  });

  it("rejects with a WorkflowError when the run has failed, that millrace recognizes", async () => {
    const failed = handlerRecord("failed", { error: "It is raining.", error_code: "STEP_FAILED" });
    await using server = await listen((_, response) => json(response, 200, failed));

    const error = await clientOf(server.baseUrl)
      .handle("h")
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(WorkflowError);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({
      name: "WorkflowError",
      code: "STEP_FAILED",
      message: "It is raining.",
      handlerId: "h",
    });
    expect(CoreError.is(error, "STEP_FAILED")).toBe(true);
  });

  it("asks for nothing more until somebody awaits it, and then once", async () => {
    await using server = await listen((_, response) => json(response, 200, handlerRecord("completed")));
    const client = clientOf(server.baseUrl);

    const run = client.handle("h");
    await run.accepted;
    expect(server.asked).toHaveLength(0);
    await Promise.all([run, run, run.then(String), run.finally(() => {})]);

    expect(server.asked).toHaveLength(1);
  });

  it("stops waiting with the reason of the signal", async () => {
    await using server = await listen(({ method }, response) => {
      if (method === "POST") return json(response, 200, handlerRecord("running"));
      openSse(response);
      response.write(frame(0));
    });
    const stopping = new AbortController();
    const stopped = new Error("stopped");

    const run = clientOf(server.baseUrl).run("joke", {}, { signal: stopping.signal });
    await run.accepted;
    setTimeout(() => stopping.abort(stopped), 50);

    await expect(run).rejects.toBe(stopped);
  });

  it("keeps Date, Map and bigint in the input, and revives them in results and events", async () => {
    const when = new Date(0);
    await using server = await listen(({ method, path, body }, response) => {
      const { value, meta } = (body as { start_event?: { value: object; meta: unknown } })?.start_event ?? {};
      if (method === "POST") kept = { value: { result: value }, meta: { result: [["custom", "x"]], ...shift(meta) } };
      if (!path.startsWith("/events/")) {
        return json(response, 200, handlerRecord("completed", { result: { type: "StopEvent", ...kept } }));
      }
      openSse(response);
      response.end(lastFrame(0));
    });
    let kept: object = {};
    const shift = (meta: unknown) =>
      Object.fromEntries(Object.entries(meta as object).map(([path, form]) => [`result.${path}`, form]));

    const result = await clientOf(server.baseUrl).run("joke", { when, seats: new Map([["a", 1n]]), tone: "dry" });

    expect(server.asked[0]?.body).toMatchObject({
      start_event: { qualified_name: "", value: { when: "1970-01-01T00:00:00.000Z", tone: "dry" } },
    });
    expect(result).toEqual({ when, seats: new Map([["a", 1n]]), tone: "dry" });
  });
});

describe("messages", () => {
  it("posts an event with its step and a key, again when the answer is lost", async () => {
    await using server = await listen((_, response, times) => {
      if (times === 0) return void response.destroy();
      json(response, 200, { status: "sent", sequence: 7 });
    });

    const receipt = await clientOf(server.baseUrl).handle("h/1").sendEvent({ type: "Ping", at: 1 }, { step: "listen" });

    expect(receipt).toEqual({ status: "accepted", sequence: 7 });
    expect(server.asked).toHaveLength(2);
    const [first, second] = server.asked;
    expect(first).toMatchObject({
      path: "/events/h%2F1",
      body: { event: { type: "Ping", value: { at: 1 } }, step: "listen" },
    });
    expect(first?.headers["idempotency-key"]).toBe(second?.headers["idempotency-key"]);
  });

  it("takes a refusal for an answer, and asks no second time", async () => {
    await using server = await listen(({ path }, response) => {
      const full = path.startsWith("/events");
      json(response, full ? 429 : 409, { detail: "No.", code: full ? "INBOX_FULL" : "PROMPT_CLOSED", hint: "Wait." });
    });
    const run = clientOf(server.baseUrl).handle("h");

    expect(await run.answer("p", { ok: true })).toEqual({ status: "refused", code: "PROMPT_CLOSED", hint: "Wait." });
    expect(await run.sendEvent({ type: "Ping" })).toEqual({ status: "refused", code: "INBOX_FULL", hint: "Wait." });
    expect(server.asked).toHaveLength(2);
    expect(server.asked[0]).toMatchObject({ path: "/handlers/h/prompts/p", body: { fields: { ok: true } } });
  });

  it("keeps a key that the caller gives", async () => {
    await using server = await listen((_, response) => json(response, 200, { status: "accepted", sequence: 1 }));

    await clientOf(server.baseUrl).handle("h").answer("p", {}, { key: "click-1" });

    expect(server.asked[0]?.headers["idempotency-key"]).toBe("click-1");
  });

  it("refuses something that is not an event", async () => {
    const run = clientOf("http://127.0.0.1:9").handle("h");

    await expect(run.sendEvent({ at: 1 } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("repetition", () => {
  it("looks at once where the server lets no further request wait", async () => {
    const asked: string[] = [];
    await using server = await listen(({ path, query }, response, times) => {
      asked.push(`${path} ${query.get("wait") === null ? "at once" : "waits"}`);
      if (path.startsWith("/events/")) return json(response, 429, { detail: "Full.", code: "STREAMS_EXCEEDED" });
      if (query.get("wait") !== null) return json(response, 429, { detail: "Full.", code: "WAITS_EXCEEDED" });
      json(response, 200, handlerRecord(times === 0 ? "running" : "completed"));
    });

    expect(await clientOf(server.baseUrl).handle("h").idle()).toMatchObject({ status: "completed" });

    expect(asked).toEqual(["/handlers/h at once", "/events/h at once", "/handlers/h waits", "/handlers/h at once"]);
  });

  it.each([
    ["resume", (client: Client<Flows>) => client.resume("h")],
    ["retry", (client: Client<Flows>) => client.retry("h")],
    ["fork", (client: Client<Flows>) => client.fork("h", { at: 3, handlerId: "fork" })],
  ])("sends %s again with the key that it had", async (how, goOn) => {
    await using server = await listen((_, response, times) => {
      if (times === 0) return void response.destroy();
      if (times === 1) return json(response, 503, { detail: "Later.", code: "STORE_BUSY" });
      json(response, 200, handlerRecord("completed"));
    });

    expect(await goOn(clientOf(server.baseUrl))).toBe("done");

    expect(server.asked.map(({ path }) => path)).toEqual(Array(3).fill(`/handlers/h/${how}`));
    const keys = server.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(uuid)));
    expect(new Set(keys).size).toBe(1);
  });

  it("sends cancel again with the key that the caller gives", async () => {
    await using server = await listen((_, response, times) => {
      if (times === 0) return void response.destroy();
      json(response, 200, { status: "cancelled" });
    });

    await clientOf(server.baseUrl).handle("h").cancel({ key: "stop" });

    expect(server.asked.map(({ headers }) => headers["idempotency-key"])).toEqual(["stop", "stop"]);
  });

  it("shows why a fork was refused, and looks for no run that was never made", async () => {
    await using server = await listen((_, response) =>
      json(response, 409, { detail: "Gone.", code: "HISTORY_TRIMMED" }),
    );

    await expect(clientOf(server.baseUrl).fork("h", { at: 1 }).accepted).rejects.toMatchObject({
      code: "HISTORY_TRIMMED",
    });

    expect(server.asked).toHaveLength(1);
  });

  it.each([408, 429, 502, 503, 504])("repeats after %i, also what changes something", async (status) => {
    await using server = await listen(({ method }, response, times) => {
      if (times === 0) return json(response, status, { detail: "Later." });
      json(response, 200, method === "GET" ? { workflows: ["joke"] } : { status: "sent", sequence: 1 });
    });
    const client = clientOf(server.baseUrl);

    expect(await client.workflows()).toEqual(["joke"]);
    expect(await client.handle("h").sendEvent({ type: "Ping" })).toEqual({ status: "accepted", sequence: 1 });
  });

  it("sends again what was answered with JSON that ends too early, where a repetition is safe", async () => {
    await using server = await listen((_asked, response, times) => {
      const whole = JSON.stringify(handlerRecord("completed"));
      const text = times === 0 ? whole.slice(0, 20) : whole;
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(text);
    });
    const client = clientOf(server.baseUrl);

    expect(await client.handle("h").summary()).toMatchObject({ status: "completed" });
    expect(server.asked).toHaveLength(2);
    await expect(clientOf(server.baseUrl, { retry: false }).handle("other").summary()).rejects.toMatchObject({
      code: "NETWORK_FAILED",
      message: expect.stringContaining("got no complete answer"),
    });
  });

  it("does not repeat 400, 401, 404 and 500", async () => {
    await using server = await listen(({ path }, response) =>
      json(response, Number(path.split("/")[2]), { detail: "No." }),
    );
    const client = clientOf(server.baseUrl);

    for (const status of [400, 401, 404, 500]) {
      await expect(client.handle(String(status)).summary()).rejects.toMatchObject({ status, code: "REQUEST_REFUSED" });
    }

    expect(server.asked).toHaveLength(4);
  });

  it("gives up at once with `retry: false`, and for a Retry-After beyond its patience", async () => {
    await using server = await listen((_, response) =>
      json(response, 429, { detail: "Later." }, { "retry-after": "3600" }),
    );

    await expect(clientOf(server.baseUrl).workflows()).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    await expect(clientOf(server.baseUrl, { retry: false }).workflows()).rejects.toMatchObject({ status: 429 });

    expect(server.asked).toHaveLength(2);
  });

  it("repeats an attempt that takes too long", async () => {
    await using server = await listen((_, response, times) => {
      if (times >= 1) json(response, 200, { workflows: ["joke"] });
    });

    expect(await clientOf(server.baseUrl, { timeoutMs: 100 }).workflows()).toEqual(["joke"]);
    await expect(clientOf(server.baseUrl, { timeoutMs: 100, retry: false }).schema("joke")).rejects.toMatchObject({
      code: "REQUEST_TIMEOUT",
    });
  });

  it("asks for the headers each time", async () => {
    let count = 0;
    await using server = await listen((_, response, times) =>
      json(response, times === 0 ? 503 : 200, { workflows: [] }),
    );

    await clientOf(server.baseUrl, { headers: async () => ({ authorization: `Bearer ${++count}` }) }).workflows();

    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  });

  it("hands on what the function for headers throws", async () => {
    const lapsed = new Error("The session has lapsed.");
    const headers = () => Promise.reject(lapsed);

    await expect(clientOf("http://127.0.0.1:9", { headers }).workflows()).rejects.toBe(lapsed);
  });
});

describe("errors", () => {
  it("say what was asked, what came, and what to do", async () => {
    const answer = { detail: "No run.", code: "RUN_UNKNOWN", hint: "Look at the list.", id: "e1" };
    await using server = await listen((_, response) => json(response, 404, answer));

    const error = await clientOf(server.baseUrl)
      .handle("h")
      .summary()
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      name: "ClientError",
      message: `GET ${server.baseUrl}/handlers/h was answered with 404: No run.`,
      detail: "No run.",
      code: "RUN_UNKNOWN",
      hint: "Look at the list.",
      status: 404,
      method: "GET",
      url: `${server.baseUrl}/handlers/h`,
      details: { id: "e1" },
    });
  });

  it("show the first words of an answer that is not JSON", async () => {
    await using server = await listen((_, response) => void response.writeHead(404).end(`<html>${"x".repeat(1000)}`));

    const error = await clientOf(server.baseUrl)
      .workflows()
      .catch((thrown: Error) => thrown);

    expect(error).toMatchObject({ code: "REQUEST_REFUSED", status: 404 });
    expect((error as Error).message.length).toBeLessThan(300);
  });

  it("name a server that cannot be reached", async () => {
    const client = clientOf("http://127.0.0.1:9", { retry: { maxAttempts: 2, delayMs: 1 } });

    await expect(client.workflows()).rejects.toMatchObject({ code: "NETWORK_FAILED", status: null });
  });

  it("name a success that is not JSON, or no handler", async () => {
    await using server = await listen(({ path }, response) => {
      if (path === "/workflows") return void response.writeHead(200).end("<html>");
      json(response, 200, {});
    });
    const client = clientOf(server.baseUrl);

    await expect(client.workflows()).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
    await expect(client.handle("h").summary()).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
  });

  it.each(["{}", "[]", "null", '"ok"'])("name a success of somebody else, such as %s", async (answer) => {
    await using server = await listen((_, response) => void response.writeHead(200).end(answer));
    const client = clientOf(server.baseUrl);
    const run = client.handle("h");
    const calls = [
      () => run.answer("p", {}),
      () => run.sendEvent({ type: "Letter" }),
      () => run.cancel(),
      () => run.prompts(),
      () => client.delete("h"),
      () => client.runs(),
      () => client.history("h")[Symbol.asyncIterator]().next(),
      () => client.snapshot("h"),
      () => client.workflows(),
      () => client.schema("w"),
      () => client.events("w"),
      () => client.representation("w"),
      () => client.stepSource("w", "s"),
    ];

    for (const call of calls) await expect(call(), String(call)).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
  });
});

describe("runs and history", () => {
  it("lists in pages", async () => {
    await using server = await listen(({ query }, response) => {
      const first = query.get("cursor") === null;
      json(response, 200, { handlers: [handlerRecord(first ? "running" : "completed")], cursor: first ? "c1" : null });
    });
    const client = clientOf(server.baseUrl);

    const first = await client.runs({ workflow: ["joke", "poem"], status: "running", limit: 1 });
    const second = await client.runs({ limit: 1, cursor: first.cursor as string });

    expect(server.asked[0]?.query.toString()).toBe("workflow_name=joke&workflow_name=poem&status=running&limit=1");
    expect(first.runs[0]).toMatchObject({
      handlerId: "h",
      workflow: "joke",
      status: "running",
      startedAtMs: 1767323045000,
    });
    expect(second).toMatchObject({ runs: [{ status: "completed", result: "done" }], cursor: null });
    expect(await client.runs({ status: [] })).toEqual({ runs: [], cursor: null });
  });

  it("asks for what a filter says", async () => {
    await using server = await listen((_, response) => json(response, 200, { handlers: [], cursor: null }));

    await clientOf(server.baseUrl).runs({
      waiting: true,
      labels: { customer: "c=1", für: "Größe" },
      createdAfter: new Date(0),
      createdBefore: 1_000,
    });

    expect([...(server.asked[0]?.query ?? [])]).toEqual([
      ["waiting", "true"],
      ["label", "customer=c=1"],
      ["label", "für=Größe"],
      ["created_after", "1970-01-01T00:00:00.000Z"],
      ["created_before", "1970-01-01T00:00:01.000Z"],
    ]);
  });

  it("gives each run of all pages, also behind an empty one, and asks for no page that nobody reads", async () => {
    await using server = await listen(({ query }, response) => {
      const page = Number(query.get("cursor"));
      const handlers = page === 1 ? [] : [handlerRecord("completed", { handler_id: `h${page}` })];
      json(response, 200, { handlers, cursor: page < 3 ? String(page + 1) : null });
    });
    const client = clientOf(server.baseUrl);

    const all: string[] = [];
    for await (const { handlerId } of client.eachRun({ status: "completed", pageSize: 1 })) all.push(handlerId);
    expect(all).toEqual(["h0", "h2", "h3"]);
    expect(server.asked.map(({ query }) => `${query}`)).toEqual([
      "status=completed&limit=1",
      ...[1, 2, 3].map((cursor) => `status=completed&limit=1&cursor=${cursor}`),
    ]);

    for await (const _ of client.eachRun()) break;
    expect(server.asked).toHaveLength(5);
  });

  it("reads history page by page", async () => {
    await using server = await listen(({ query }, response) => {
      const number = Number(query.get("after")) + 1;
      const entry = { number, at: "1970-01-01T00:00:01.000Z", run_id: "h", tick: { type: "step.done" } };
      json(response, 200, { entries: [entry], next: number < 3 ? number : null });
    });

    const numbers: number[] = [];
    for await (const entry of clientOf(server.baseUrl).history("h", { pageSize: 1 })) {
      expect(entry).toMatchObject({ atMs: 1000, runId: "h", tick: { type: "step.done" } });
      numbers.push(entry.number);
    }

    expect(numbers).toEqual([1, 2, 3]);
  });

  it("takes a run that has ended for cancelled, and one that is gone for deleted", async () => {
    await using server = await listen(({ query }, response) => {
      json(response, 404, { detail: "No.", code: query.has("purge") ? "RUN_UNKNOWN" : "RUN_FINISHED" });
    });
    const client = clientOf(server.baseUrl);

    await client.handle("h").cancel({ reason: "enough" });
    await client.delete("h");

    expect(server.asked.map(({ body }) => body)).toEqual([{ reason: "enough" }, ""]);
  });
});
