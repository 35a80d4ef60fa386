/** Requests that no client sends, and what other people may not do. */

import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type AguiOptions, aguiHandler } from "../../src/agui.js";
import { bearerAuth, createServer } from "../../src/index.js";
import { Client, eventsOf, post } from "./support.js";

const echo = defineWorkflow("echo")
  .step("say", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: String(ev.get("message")) }))
  .build();
class Confirm extends InputRequiredEvent.define("Confirm", {}) {}
class Answer extends HumanResponseEvent.define("Answer", { approved: z.boolean() }) {}
const asking = (name: string, timeout: string) =>
  defineWorkflow(name)
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: [Confirm] }, async (_ev, ctx) => {
      const wait = ctx.waitForEvent(Answer, { prompt: new Confirm(), timeout: timeout as "1h" });
      const answer = await wait.catch(() => null);
      return new StopEvent({ result: `answer ${String(answer?.approved)}` });
    })
    .build();
const ask = asking("ask", "1h");
const brief = asking("brief", "300ms");
const slow = defineWorkflow("slow")
  .step("wait", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep("1h", { key: "s" });
    return new StopEvent({ result: "late" });
  })
  .build();

const auth = bearerAuth({
  tokens: [
    { token: "ada", tenant: "a" },
    { token: "bob", tenant: "b" },
    { token: "eve", tenant: "a", may: ["read"] },
  ],
});
const runtime = createRuntime({ workflows: { echo, ask, brief, slow }, store: memoryStore() });

beforeAll(() => runtime.start());
afterAll(() => runtime.stop({ drainMs: 0 }));

type Send = (path: string, init?: RequestInit & { readonly token?: string }) => Promise<Response>;

const withToken = (token: string, { headers, ...init }: RequestInit): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${token}`, ...(headers as object) },
});

function handlerDoor(options: AguiOptions = {}): Send {
  const agui = aguiHandler(runtime, { auth, log: { info() {}, error() {} }, ...options });
  return (path, { token = "ada", ...init } = {}) => {
    const request = new Request(`http://desk.example/agui${path}`, withToken(token, init));
    return agui[request.method as "GET" | "POST" | "DELETE"](request);
  };
}

const app = createServer({ runtime, auth, agui: aguiHandler(runtime) });
const serverDoor: Send = async (path, { token = "ada", ...init } = {}) =>
  app.fetch(new Request(`http://desk.example/agui${path}`, withToken(token, init)));

const clientOf = (send: Send, workflow: string, { threadId = "t", token = "ada" } = {}): Client =>
  new Client({ url: `/${workflow}`, threadId, fetch: (path, init) => send(path, { ...init, token }) });

const message = (id: string, content: unknown = "Hello") => ({ id, role: "user", content });
const input = (threadId: unknown, messages: unknown, more: object = {}) =>
  post({ threadId, runId: "r", messages, ...more });

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { readonly code: string }).code,
];
const errorOf = async (response: Response) => {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const events = await eventsOf(response);
  expect(events.map(({ type }) => type)).toEqual(["RUN_ERROR"]);
  return events[0];
};

describe.each([
  ["aguiHandler", handlerDoor()],
  ["createServer", serverDoor],
])("%s", (name, send) => {
  it.each([
    ["no JSON", { ...post({}), body: "{" }, 400, "BODY_INVALID"],
    ["a key that reaches prototypes", { ...post({}), body: '{"__proto__":1}' }, 400, "BODY_INVALID"],
    ["too many levels", { ...post({}), body: `${"[".repeat(100)}${"]".repeat(100)}` }, 400, "BODY_INVALID"],
    ["too large a body", input("t", [message("m", "x".repeat(1_100_000))]), 413, "BODY_TOO_LARGE"],
    [
      "text instead of JSON",
      { ...input("t", [message("m")]), headers: { "content-type": "text/plain" } },
      415,
      "BODY_NOT_JSON",
    ],
    [
      "another origin with cookies",
      input("t", [message("m")], {}) &&
        post(
          { threadId: "t", runId: "r", messages: [message("m")] },
          { cookie: "a=b", origin: "https://evil.example" },
        ),
      403,
      "FORBIDDEN",
    ],
  ])("refuses %s before the protocol", async (_what, init, status, code) => {
    expect(await codeOf(await send("/echo", init))).toEqual([status, code]);
  });

  it.each([
    ["a list", post([]), [""]],
    ["no fields", post({}), ["threadId", "runId", "messages"]],
    ["a thread that is a path", input("../x", [message("m")]), ["threadId"]],
    [
      "several problems at once",
      input(5, [{ role: "user" }], { tools: 3 }),
      ["threadId", "messages.0.id", "messages.0.content", "tools"],
    ],
    [
      "a file from elsewhere",
      input("t", [message("m", [{ type: "image", source: { type: "url", value: "http://10.0.0.1/" } }])]),
      ["messages.0.content.0.source"],
    ],
    [
      "a tool whose name is code",
      input("t", [message("m")], { tools: [{ name: "a b;", description: "" }] }),
      ["tools.0.name"],
    ],
    [
      "two answers to one interrupt",
      input("t", [], {
        resume: [
          { interruptId: "i", status: "cancelled" },
          { interruptId: "i", status: "cancelled" },
        ],
      }),
      ["resume"],
    ],
    ["an unknown status", input("t", [], { resume: [{ interruptId: "i", status: "maybe" }] }), ["resume.0.status"]],
  ])("%s is RUN_ERROR with all issues", async (_what, init, paths) => {
    const error = await errorOf(await send("/echo", init));

    expect(error).toMatchObject({ code: "BODY_INVALID" });
    const { issues } = (error?.metadata ?? { issues: [] }) as { readonly issues: readonly { readonly path: string }[] };
    expect([...new Set(issues.map(({ path }) => path))]).toEqual(paths);
  });

  it.each([
    ["nothing to answer", input(`${name}-none`, []), "MESSAGE_MISSING"],
    [
      "a message of an agent",
      input(`${name}-none`, [{ id: "a", role: "assistant", content: "Hi" }]),
      "MESSAGE_MISSING",
    ],
    [
      "a resume where nothing was asked",
      input(`${name}-none`, [], { resume: [{ interruptId: "x", status: "resolved" }] }),
      "INTERRUPT_UNKNOWN",
    ],
  ])("%s is RUN_ERROR", async (_what, init, code) => {
    expect(await errorOf(await send("/echo", init))).toMatchObject({ code });
  });

  it.each([
    ["PUT", "/echo", 405, "METHOD_NOT_ALLOWED"],
    ["POST", "", 405, "METHOD_NOT_ALLOWED"],
    ["POST", "/echo/t", 405, "METHOD_NOT_ALLOWED"],
    ["GET", "/none", 404, "WORKFLOW_UNKNOWN"],
    ["GET", "/toString", 404, "WORKFLOW_UNKNOWN"],
    ["DELETE", "/echo/a%2Fb", 404, "NOT_FOUND"],
    ["DELETE", "/echo/%ff", 404, "NOT_FOUND"],
    ["DELETE", "/echo/none", 404, "THREAD_UNKNOWN"],
  ])("%s %s is %i %s", async (method, path, status, code) => {
    const handled = name === "aguiHandler" && method === "PUT" ? "GET" : method;
    if (handled !== method) return expect((await send(path, { method: "GET" })).status).toBe(200);
    expect(await codeOf(await send(path, { method }))).toEqual([status, code]);
  });

  it("needs credentials that are known, and those that may write for what changes something", async () => {
    const body = input(`${name}-2`, [message("m")]);

    expect(await codeOf(await send("/echo", { ...body, token: "mallory" }))).toEqual([401, "UNAUTHORIZED"]);
    expect(await codeOf(await send("/echo", { ...body, token: "eve" }))).toEqual([403, "FORBIDDEN"]);
    expect((await send("/echo", { token: "eve" })).status).toBe(200);
  });

  it("keeps the threads of tenants and workflows apart, also those with one id", async () => {
    const threadId = `${name}-3`;
    const ada = clientOf(send, "ask", { threadId });
    await ada.say("go");
    const [interrupt] = ada.pendingInterrupts;
    const stolen = {
      resume: [{ interruptId: interrupt?.id ?? "", status: "resolved" as const, payload: { approved: true } }],
    };

    const bob = clientOf(send, "ask", { threadId, token: "bob" });
    await bob.runAgent();
    expect(bob.heard).toMatchObject([{ type: "RUN_ERROR", code: "MESSAGE_MISSING" }]);
    await bob.runAgent(stolen);
    expect(bob.heard.at(-1)).toMatchObject({ code: "INTERRUPT_UNKNOWN" });
    expect(await codeOf(await send(`/ask/${threadId}`, { method: "DELETE", token: "bob" }))).toEqual([
      404,
      "THREAD_UNKNOWN",
    ]);
    const otherThread = clientOf(send, "ask", { threadId: `${threadId}-other` });
    await otherThread.say("go");
    otherThread.pendingInterrupts = [];
    await otherThread.runAgent({
      resume: [...stolen.resume, { interruptId: `agui/ask/${threadId}-other/1:1`, status: "cancelled" }],
    });
    expect(otherThread.heard.at(-1)).toMatchObject({ type: "RUN_ERROR" });
    const otherWorkflow = clientOf(send, "echo", { threadId });
    await otherWorkflow.runAgent(stolen);
    expect(otherWorkflow.heard.at(-1)).toMatchObject({ code: "INTERRUPT_UNKNOWN" });

    await ada.resume({ approved: false });
    expect(ada.text).toBe("answer false");
  });
});

it("a resume may be replayed; another answer, a late one and a forged one are refused", async () => {
  const send = handlerDoor();
  const ada = clientOf(send, "ask", { threadId: "replay" });
  await ada.say("go");
  const [{ id } = { id: "" }] = ada.pendingInterrupts;
  const resumed = (approved: boolean) => ({
    resume: [{ interruptId: id, status: "resolved" as const, payload: { approved } }],
  });
  await ada.runAgent(resumed(true));
  expect(ada.text).toBe("answer true");
  const messages = ada.messages;

  await ada.runAgent(resumed(true));
  expect(ada.heard.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  expect(ada.messages).toEqual(messages);
  await ada.runAgent(resumed(false));
  expect(ada.heard.at(-1)).toMatchObject({ type: "RUN_ERROR" });
  await ada.runAgent({
    resume: [{ interruptId: "agui/ask/replay/1:999", status: "resolved", payload: { approved: true } }],
  });
  expect(ada.heard.at(-1)).toMatchObject({ type: "RUN_ERROR" });
  expect(ada.messages).toEqual(messages);

  const late = clientOf(send, "brief", { threadId: "late" });
  await late.say("go");
  const [open] = late.pendingInterrupts;
  await new Promise((resolve) => setTimeout(resolve, 400));
  const expired = late.pendingInterrupts;
  late.pendingInterrupts = [];
  await late.runAgent({ resume: [{ interruptId: open?.id ?? "", status: "resolved", payload: { approved: true } }] });
  expect(late.heard.at(-1)).toMatchObject({ type: "RUN_ERROR" });
  late.pendingInterrupts = expired; // the client demands that they are cancelled
  await late.runAgent({ resume: [{ interruptId: open?.id ?? "", status: "cancelled" }] });
  expect(late.text).toBe("answer undefined");
  expect(late.pendingInterrupts).toEqual([]);
});

it("an open interrupt blocks new messages, and has to be answered whole", async () => {
  const send = handlerDoor();
  const ada = clientOf(send, "ask", { threadId: "blocked" });
  await ada.say("go");
  const [interrupt] = ada.pendingInterrupts;
  ada.pendingInterrupts = [];
  await ada.say("again");
  expect(ada.heard.at(-1)).toMatchObject({
    code: "INTERRUPT_OPEN",
    metadata: { hint: expect.stringContaining("resume") },
  });
  await ada.runAgent({ resume: [{ interruptId: "agui/ask/blocked/1:77", status: "cancelled" }] });
  expect(ada.heard.at(-1)).toMatchObject({ code: "RESUME_INCOMPLETE" });
  await ada.runAgent({ resume: [{ interruptId: interrupt?.id ?? "", status: "resolved", payload: "yes" }] });
  expect(ada.heard.at(-1)).toMatchObject({ code: "BODY_INVALID" });
});

it("of two messages at once one is answered; DELETE stops an answer, and the thread goes on", async () => {
  const send = handlerDoor();
  const [one, two] = [clientOf(send, "slow", { threadId: "two" }), clientOf(send, "slow", { threadId: "two" })];
  const running = one.say("one", { id: "a" });
  await expect.poll(() => one.types).toContain("RUN_STARTED");

  await two.say("two", { id: "b" });
  expect(two.heard).toMatchObject([{ type: "RUN_ERROR", code: "THREAD_BUSY" }]);
  expect((await send("/slow/two", { method: "DELETE" })).status).toBe(204);
  await running;
  expect(one.heard.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
});

it("says nothing of an unexpected error", async () => {
  const input_ = () => {
    throw new TypeError("postgres://user:secret@db");
  };
  const send = handlerDoor({ workflows: { echo: { input: input_ } } });

  const response = await send("/echo", input("secret", [message("m")]));

  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret@");
});

it("an input that the workflow refuses is RUN_ERROR, and leaves no turn behind", async () => {
  const send = handlerDoor({ workflows: { echo: { input: () => ({ message: () => {} }) } } });

  expect(await errorOf(await send("/echo", input("bad", [message("m")])))).toMatchObject({
    code: "VALUE_UNSERIALIZABLE",
  });
  expect(await errorOf(await send("/echo", input("bad", [])))).toMatchObject({ code: "MESSAGE_MISSING" });
});

it("opens as many streams as the server allows, and frees what its client has left", async () => {
  const limits = { streamsPerTenant: 1 };
  const limited = createServer({ runtime, auth, agui: aguiHandler(runtime), limits });
  const send: Send = async (path, init = {}) =>
    limited.fetch(new Request(`http://desk.example/agui${path}`, withToken("ada", init)));
  const open = await send("/slow", input("s-1", [message("m")]));

  expect(await codeOf(await send("/slow", input("s-2", [message("m")])))).toEqual([429, "STREAMS_EXCEEDED"]);
  expect((await send("/slow/s-1", { method: "DELETE" })).status).toBe(204);
  await open.text();
  const second = await send("/echo", input("s-3", [message("m")]));
  await second.body?.cancel();
  expect((await send("/echo", input("s-4", [message("m")]))).status).toBe(200);
});

it("names every wrong option", () => {
  const options = { workflows: { none: {}, echo: { show: "cart", shown: 1 } }, basePath: "agui" };

  expect(() => aguiHandler(runtime, options as never)).toThrow(/none.*/s);
  expect(() => aguiHandler(runtime, options as never)).toThrow(/workflows\.echo.*shown/s);
  expect(() => createServer({ runtime, agui: {} as never })).toThrow(/`agui` has no `respond\(\)`.*aguiHandler/s);
});
