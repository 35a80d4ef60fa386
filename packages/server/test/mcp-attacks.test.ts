/** What strangers send to `/mcp`: forged, replayed, late, too large, from other tenants and other pages. */
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createServer, type ServerOptions } from "../src/index.js";
import { type McpHandlerOptions, mcpHandler } from "../src/mcp-handler.js";
import type { Json } from "./answer.types.js";
import { mcpWorkflows } from "./child/mcp-workflows.js";
import { workflows } from "./child/workflows.js";
import { ask, endpoint, forms, post, tasks } from "./mcp-clients.js";

const both = { ...forms, ...tasks };
const as = (name: string) => ({ headers: { authorization: `Bearer token-of-${name}` } });
const people = ["acme", "globex"].map((tenant) => ({ token: `token-of-${tenant}`, tenant }));
const auth = bearerAuth({ tokens: [...people, { token: "token-of-looker", tenant: "acme", may: ["read"] }] });

function open(server: Partial<ServerOptions> = {}, options: McpHandlerOptions = {}) {
  const runtime = createRuntime({ workflows: { ...workflows, ...mcpWorkflows } });
  onTestFinished(async () => {
    for (const tenant of ["", "acme", "globex"])
      for (const { runId } of (await runtime.runs({ tenant })).runs) await runtime.handle(runId, { tenant }).cancel();
    await runtime.stop();
  });
  const errors: unknown[] = [];
  const log = { info: () => {}, error: (...given: unknown[]) => void errors.push(given) };
  const app = createServer({ runtime, log, mcp: mcpHandler(runtime, { log, ...options }), ...server });
  const fetch = (request: Request) => app.fetch(request);
  const call = (name: string, given: object = {}, sent = {}, can: object = both): Promise<Json> =>
    ask(fetch, "tools/call", { name, arguments: given }, can, sent);
  return { runtime, fetch, call, errors };
}

const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const notFound = { code: -32602, data: { code: "RUN_UNKNOWN" } };

describe("another tenant", () => {
  it("finds no task, and changes none", async () => {
    const { fetch, call, runtime } = open({ auth });
    const { taskId } = await call("confirm_delete", { filename: "a" }, as("acme"));
    const [prompt] = await runtime.handle(taskId, { tenant: "acme" }).prompts();
    const inputResponses = { [String(prompt?.promptId)]: { action: "accept", content: { confirm: true } } };

    for (const [method, params] of [
      ["tasks/get", { taskId }],
      ["tasks/update", { taskId, inputResponses }],
      ["tasks/cancel", { taskId }],
    ] as const)
      expect(await ask(fetch, method, params, both, as("globex"))).toMatchObject(notFound);

    expect(await ask(fetch, "tasks/get", { taskId }, both, as("acme"))).toMatchObject({ status: "input_required" });
    expect(await runtime.handle(taskId, { tenant: "acme" }).prompts()).toHaveLength(1);
  });

  it("says of a task of others what it says of one that never was", async () => {
    const { fetch, call } = open({ auth });
    const { taskId } = await call("confirm_delete", { filename: "a" }, as("acme"));
    const asked = (id: string) => ask(fetch, "tasks/get", { taskId: id }, both, as("globex"));

    const theirs = await asked(taskId);
    const none = await asked("f9e0f442-3a49-4c92-b9c8-f7d5b9799019");

    expect(JSON.stringify(theirs).replace(taskId, "")).toBe(
      JSON.stringify(none).replace("f9e0f442-3a49-4c92-b9c8-f7d5b9799019", ""),
    );
  });

  it("continues no call of others with their state", async () => {
    const { fetch, call, runtime } = open({ auth });
    const { requestState, inputRequests } = await call("refund", {}, as("acme"), forms);
    const [promptId] = Object.keys(inputRequests) as [string];
    const params = {
      name: "refund",
      requestState,
      inputResponses: { [promptId]: { action: "accept", content: { approved: true } } },
    };

    expect(await ask(fetch, "tools/call", params, forms, as("globex"))).toMatchObject(notFound);
    expect((await runtime.runs({ tenant: "globex" })).runs).toEqual([]);
  });
});

describe("a forged state", () => {
  it.each([
    ["that is none", () => "none"],
    ["with an end", (state: string) => `${state}-x`],
    ["that is empty", () => ""],
    ["of another workflow", (_state: string, other: string) => other],
  ])("%s continues nothing, and starts nothing", async (_name, forge) => {
    const { fetch, call, runtime } = open();
    const { requestState } = await call("refund", {}, {}, forms);
    const other = await call("confirm_delete", { filename: "a" }, {}, forms);
    const before = (await runtime.runs()).runs.length;

    const params = { name: "refund", arguments: {}, requestState: forge(requestState, other.requestState) };

    expect(await ask(fetch, "tools/call", params, forms)).toMatchObject(notFound);
    expect((await runtime.runs()).runs).toHaveLength(before);
  });

  it("answers no prompt of a workflow that is not a tool", async () => {
    const { fetch, runtime } = open({}, { tools: { add: "Adds." } });
    const run = runtime.run("refund", {});
    await run.idle();
    const [prompt] = await run.prompts();
    const inputResponses = { [String(prompt?.promptId)]: { action: "accept", content: { approved: true } } };

    for (const [method, params] of [
      ["tasks/update", { taskId: run.runId, inputResponses }],
      ["tools/call", { name: "add", arguments: {}, requestState: `1.${run.runId}`, inputResponses }],
      ["tools/call", { name: "answer_prompt", arguments: {}, requestState: run.runId, inputResponses }],
    ] as const)
      expect(await ask(fetch, method, params)).toMatchObject(notFound);
    expect(await run.prompts()).toHaveLength(1);
  });
});

describe("responses", () => {
  it.each([
    ["null", null],
    ["a number", 5],
    ["of no kind", { content: {} }],
    ["of an unknown kind", { action: "agree", content: { approved: true } }],
    ["with a list as content", { action: "accept", content: [] }],
    ["with a text as content", { action: "accept", content: "yes" }],
    ["that do not fit", { action: "accept", content: { approved: "maybe" } }],
  ])("%s are refused in the form of the protocol, or ignored, and the prompt stays open", async (_name, response) => {
    const { fetch, call, runtime } = open();
    const { taskId } = await call("refund");
    const [prompt] = await runtime.handle(taskId).prompts();
    const inputResponses = { [String(prompt?.promptId)]: response };

    const answer = await ask(fetch, "tasks/update", { taskId, inputResponses });

    // The SDK leaves out what is no object.
    const refused = { code: -32602, data: { code: expect.stringMatching(/^(BODY|EVENT)_INVALID$/) } };
    expect(answer).toMatchObject(Object(response) === response ? refused : { resultType: "complete" });
    expect(await runtime.handle(taskId).prompts()).toHaveLength(1);
  });

  it("that come again, late, or for prompts that never were change nothing", async () => {
    const { fetch, call, runtime } = open();
    const { taskId } = await call("refund", { order: "A-1" });
    const [prompt] = await runtime.handle(taskId).prompts();
    const update = (approved: boolean, id = String(prompt?.promptId)) =>
      ask(fetch, "tasks/update", { taskId, inputResponses: { [id]: { action: "accept", content: { approved } } } });

    const answers = [
      await update(true, "0"),
      await update(true, "__proto"),
      ...(await Promise.all([update(true), update(true)])),
    ];
    await runtime.handle(taskId);
    answers.push(await update(false));

    for (const one of answers) expect(one).toMatchObject({ resultType: "complete" });
    const answered = { at: expect.any(String), by: { door: "mcp" } };
    const closed = { [String(prompt?.promptId)]: { code: "PROMPT_CLOSED", detail: expect.any(String), answered } };
    expect(answers.at(-1)).toMatchObject({ _meta: { "millrace/closed": closed } });
    expect(answers.filter((one) => JSON.stringify(one).includes("PROMPT_CLOSED"))).toHaveLength(2);
    expect(await runtime.handle(taskId)).toBe("refunded A-1");
  });

  it("need the parameter", async () => {
    const { fetch, call } = open();
    const { taskId } = await call("refund");

    expect(await ask(fetch, "tasks/update", { taskId })).toMatchObject({
      code: -32602,
      data: { code: "BODY_INVALID" },
    });
    expect(await ask(fetch, "tasks/get", {})).toMatchObject({ code: -32602 });
  });
});

describe("a body", () => {
  it.each([
    ["too large", JSON.stringify({ ...list, padding: "x".repeat(2_000) }), 413, -32600, "BODY_TOO_LARGE"],
    ["no JSON", "{", 400, -32700, "BODY_INVALID"],
    ["nested too deeply", `${'{"a":'.repeat(70)}1${"}".repeat(70)}`, 400, -32700, "BODY_INVALID"],
    ["with a key of prototypes", '{"__proto__":{}}', 400, -32700, "BODY_INVALID"],
  ])("that is %s is an error in the form of the protocol", async (_name, body, status, code, ours) => {
    const { fetch, errors } = open({ limits: { bodyBytes: 1_500 } });

    const response = await fetch(
      new Request(endpoint, { method: "POST", body, headers: { "content-type": "application/json" } }),
    );

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code, data: { code: ours } } });
    expect(errors).toEqual([]);
  });

  it("of another type, as a form sends it, is refused", async () => {
    const { fetch } = open();

    const { status, body } = await post(fetch, list, { headers: { "content-type": "text/plain" } });

    expect(status).toBe(415);
    expect(body).toMatchObject({ error: { data: { code: "BODY_NOT_JSON" } } });
  });
});

describe("a page", () => {
  const page = (host: string, origin: string, more = {}) => ({
    url: new URL(`http://${host}/mcp`),
    headers: { host, origin, ...more },
  });
  const status = async (fetch: Parameters<typeof post>[0], sent: ReturnType<typeof page>) =>
    (await post(fetch, { ...list, params: { _meta: meta({}) } }, sent)).status;

  it("of another origin is refused", async () => {
    const { fetch } = open();

    expect(await status(fetch, page("localhost", "https://pages.example"))).toBe(403);
  });

  it("whose name leads here is refused, unless it is named or has a token", async () => {
    const { fetch } = open();
    const named = open({}, { hosts: ["app.example"] });
    const evil = page("pages.example:3000", "http://pages.example:3000");
    const app = page("app.example", "https://app.example");

    expect(await status(fetch, evil)).toBe(403);
    expect(
      await status(fetch, page("pages.example", "http://pages.example", { "sec-fetch-site": "same-origin" })),
    ).toBe(403);
    expect(await status(fetch, page("127.0.0.1:3000", "http://127.0.0.1:3000"))).toBe(200);
    expect(await status(fetch, page("[::1]:3000", "http://[::1]:3000"))).toBe(200);
    expect(await status(fetch, app)).toBe(403);
    expect(await status(named.fetch, app)).toBe(200);
    expect(await status(named.fetch, evil)).toBe(403);
    expect(await status(fetch, { ...app, headers: { ...app.headers, authorization: "Bearer any" } as never })).toBe(
      200,
    );
  });
});

describe("a caller", () => {
  it("without credentials gets nothing, and one who may only look changes nothing", async () => {
    const { fetch, call, runtime } = open({ auth });
    const { taskId } = await call("confirm_delete", { filename: "a" }, as("acme"));
    const forbidden = { data: { code: "FORBIDDEN" } };
    const look = (method: string, params: object) => ask(fetch, method, params, both, as("looker"));

    expect((await post(fetch, list)).status).toBe(401);
    const { tools } = await look("tools/list", {});
    expect(tools.map(({ name }: Json) => name).sort()).toEqual(["get_run", "list_runs"]);
    expect(JSON.stringify(await call("refund", { order: "C-3" }, as("looker")))).toContain("FORBIDDEN");
    expect(await look("tasks/get", { taskId })).toMatchObject({ taskId });
    expect(await look("tasks/update", { taskId, inputResponses: {} })).toMatchObject(forbidden);
    expect(await look("tasks/cancel", { taskId })).toMatchObject(forbidden);
    expect((await runtime.runs({ tenant: "acme" })).runs).toHaveLength(1);
    expect(await runtime.handle(taskId, { tenant: "acme" }).prompts()).toHaveLength(1);
  });

  it("only looks at tasks of a handler that only shows", async () => {
    const { fetch, call, runtime } = open({}, { readOnly: true });
    const run = runtime.run("refund", { order: "C-3" });
    await run.idle();
    const { taskId, state } = { taskId: run.runId, state: `1.${run.runId}` };
    const readOnly = { code: -32600, data: { code: "READ_ONLY" } };

    expect(await ask(fetch, "tasks/get", { taskId })).toMatchObject({ taskId });
    expect(await ask(fetch, "tasks/update", { taskId, inputResponses: {} })).toMatchObject(readOnly);
    expect(await ask(fetch, "tasks/cancel", { taskId })).toMatchObject(readOnly);
    expect(await ask(fetch, "tools/call", { name: "refund", requestState: state })).toMatchObject(readOnly);
    expect(await call("refund")).toMatchObject({ isError: true });
    expect(await run.prompts()).toHaveLength(1);
  });

  it("who has not declared tasks in this request gets no task and no method of them", async () => {
    const { fetch, call } = open();
    const { taskId } = await call("confirm_delete", { filename: "a" });
    const missing = { code: -32021, data: { requiredCapabilities: { extensions: tasks.extensions } } };

    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect(await ask(fetch, method, { taskId }, forms)).toMatchObject(missing);
    expect(await call("confirm_delete", { filename: "a" }, {}, forms)).toMatchObject({ resultType: "input_required" });
  });

  it("who has not declared tasks cannot listen to them; who has is told to ask", async () => {
    const { fetch, call } = open();
    const { taskId } = await call("confirm_delete", { filename: "a" });
    const notifications = { taskIds: [taskId] };
    const stream = (can: object) =>
      fetch(
        new Request(endpoint, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "subscriptions/listen",
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 7,
            method: "subscriptions/listen",
            params: { notifications, _meta: meta(can) },
          }),
        }),
      );

    for (const odd of [{}, null, { extensions: null }, { extensions: "all" }])
      expect((await stream(odd as object)).status).toBe(400);
    const refused = await stream(forms);
    const [first] = await firstOf(await stream(both));

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ id: 7, error: { code: -32021 } });
    expect(first).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    expect(first.params.notifications).not.toHaveProperty("taskIds");
  });

  it("cannot name another task in the headers than in the body", async () => {
    const { fetch, call } = open();
    const { taskId } = await call("confirm_delete", { filename: "a" });

    expect(await ask(fetch, "tasks/get", { taskId }, both, { headers: { "mcp-name": "other" } })).toMatchObject({
      code: -32020,
    });
  });

  it("cannot list tasks, nor hold a session", async () => {
    const { fetch } = open();

    for (const method of ["tasks/list", "tasks/result"])
      expect(await ask(fetch, method, { taskId: "a" })).toMatchObject({ code: -32601 });
    for (const method of ["GET", "DELETE"]) expect((await fetch(new Request(endpoint, { method }))).status).toBe(405);
  });
});

const meta = (can: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": can,
});

/** The first message of a stream, which is then left. */
async function firstOf({ body }: Response): Promise<Json[]> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const data = new TextDecoder()
    .decode(value)
    .split("\n")
    .filter((line) => line.startsWith("data: "));
  return data.map((line) => JSON.parse(line.slice(6)));
}
