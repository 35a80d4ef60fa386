import { WorkflowError as CoreError } from "millrace";
import { describe, expect, it } from "vitest";
import { ClientError, type ClientOptions, createClient, WorkflowError } from "../src/index.js";
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

  it("refuses something that is no event", async () => {
    const run = clientOf("http://127.0.0.1:9").handle("h");

    await expect(run.sendEvent({ at: 1 } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("repetition", () => {
  it("never sends resume or retry twice", async () => {
    await using server = await listen((_, response) => json(response, 503, { detail: "Later.", code: "STORE_BUSY" }));
    const client = clientOf(server.baseUrl);

    await expect(client.resume("h").accepted).rejects.toMatchObject({ code: "STORE_BUSY" });
    await expect(client.retry("h").accepted).rejects.toMatchObject({ code: "STORE_BUSY" });

    expect(server.asked).toHaveLength(2);
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
      if (times === 1) json(response, 200, { workflows: ["joke"] });
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
      code: "RUN_UNKNOWN",
      hint: "Look at the list.",
      status: 404,
      method: "GET",
      url: `${server.baseUrl}/handlers/h`,
      details: { id: "e1" },
    });
  });

  it("show the first words of an answer that is no JSON", async () => {
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

  it("name a success that is no JSON, or no handler", async () => {
    await using server = await listen(({ path }, response) => {
      if (path === "/workflows") return void response.writeHead(200).end("<html>");
      json(response, 200, {});
    });
    const client = clientOf(server.baseUrl);

    await expect(client.workflows()).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
    await expect(client.handle("h").summary()).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
  });

  it("refuse options that cannot be meant", () => {
    const refused = expect.objectContaining({ code: "OPTION_INVALID" });

    expect(() => createClient({ baseUrl: "/api" })).toThrow(refused);
    expect(() => clientOf("http://x", { timeoutMs: 0 })).toThrow(refused);
    expect(() => clientOf("http://x", { retry: { maxAttempts: 0 } })).toThrow(refused);
    expect(() => clientOf("http://x").run("..")).toThrow(refused);
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
