/** Requests that no page sends. Each answer has a code, as `useChat` shows it. */
import { bearerAuth, createServer } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatOptions, chatHandler } from "../src/index.js";

const flow = defineWorkflow("echo")
  .step("say", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: String(ev.get("message")) }))
  .build();
const auth = bearerAuth({
  tokens: [
    { token: "ada", tenant: "a" },
    { token: "bob", tenant: "b" },
    { token: "eve", tenant: "a", may: ["read"] },
  ],
});
const store = memoryStore();
const runtime = createRuntime({ workflows: { echo: flow }, store }) as unknown as Runtime;

beforeAll(() => runtime.start());
afterAll(() => runtime.stop());

type Send = (path: string, init?: RequestInit & { readonly token?: string }) => Promise<Response>;

const withToken = (token: string | undefined, init: RequestInit): RequestInit => ({
  ...init,
  headers: {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(init.headers as object),
  },
});

function handlerDoor(options: Partial<ChatOptions> = {}): Send {
  const chats = chatHandler(runtime, {
    workflow: "echo",
    auth,
    basePath: "/chat",
    log: { info() {}, error() {} },
    ...options,
  });
  return (path, { token = "ada", ...init } = {}) => {
    const request = new Request(`http://desk.example/chat${path}`, withToken(token, init));
    return chats[request.method as "GET" | "POST" | "DELETE"](request);
  };
}

const app = createServer({ runtime, auth, chat: chatHandler(runtime, { workflow: "echo" }) });
const serverDoor: Send = async (path, { token = "ada", ...init } = {}) =>
  app.fetch(new Request(`http://desk.example/chat${path}`, withToken(token, init)));

const message = (id: string, parts: unknown = [{ type: "text", text: "Hello" }]) => ({ id, role: "user", parts });
const post = (body: unknown): RequestInit => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const chat = (id: unknown, last: unknown, more: object = {}) =>
  post({ id, messages: [last], trigger: "submit-message", ...more });
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { readonly code: string }).code,
];

describe.each([
  ["chatHandler", handlerDoor()],
  ["createServer", serverDoor],
])("%s", (name, send) => {
  it("answers in the protocol of the AI SDK", async () => {
    const response = await send("", chat(`${name}-1`, message("m")));

    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(await response.text()).toContain('data: {"type":"text-delta","id":"result","delta":"Hello"}');
  });

  it.each([
    ["no JSON", post("{"), 400, "BODY_INVALID"],
    ["no object", post("null"), 400, "BODY_INVALID"],
    ["no messages", post({ id: "c", messages: [] }), 400, "BODY_INVALID"],
    ["an id that is a path", chat("../x", message("m")), 400, "BODY_INVALID"],
    ["an id that is no text", chat({}, message("m")), 400, "BODY_INVALID"],
    ["an unknown trigger", chat("c", message("m"), { trigger: "resume" }), 400, "BODY_INVALID"],
    ["a message without parts", chat("c", { id: "m", role: "user" }), 400, "BODY_INVALID"],
    ["a message of the system", chat("c", { ...message("m"), role: "system" }), 400, "BODY_INVALID"],
    ["a message without an id", chat("c", message("")), 400, "BODY_INVALID"],
    [
      "a file from elsewhere",
      chat("c", message("m", [{ type: "file", mediaType: "a/b", url: "http://10.0.0.1/" }])),
      400,
      "BODY_INVALID",
    ],
    [
      "a call of a tool by a person",
      chat("c", message("m", [{ type: "tool-pay", toolCallId: "x", state: "input-available", input: {} }])),
      400,
      "BODY_INVALID",
    ],
    ["a key that reaches prototypes", post('{"id":"c","messages":[{"__proto__":1}]}'), 400, "BODY_INVALID"],
    ["too many levels", post(`{"id":"c","messages":${"[".repeat(100)}${"]".repeat(100)}}`), 400, "BODY_INVALID"],
    ["answers that are no objects", chat("c", message("m"), { answers: { p: 1 } }), 400, "BODY_INVALID"],
    [
      "too large a body",
      chat("c", message("m", [{ type: "text", text: "x".repeat(1_100_000) }])),
      413,
      "BODY_TOO_LARGE",
    ],
    [
      "text instead of JSON",
      { ...chat("c", message("m")), headers: { "content-type": "text/plain" } },
      415,
      "BODY_NOT_JSON",
    ],
    [
      "an answer to a chat that is not there",
      chat("none", { id: "a", role: "assistant", parts: [{ type: "step-start" }] }),
      409,
      "MESSAGE_UNKNOWN",
    ],
    ["an edit of a message that is not there", chat("none", message("m"), { messageId: "x" }), 409, "MESSAGE_UNKNOWN"],
    [
      "another origin with cookies",
      { ...chat("c", message("m")), headers: { cookie: "a=b", origin: "https://evil.example" } },
      403,
      "FORBIDDEN",
    ],
  ])("refuses %s", async (_what, init, status, code) => {
    expect(await codeOf(await send("", init))).toEqual([status, code]);
  });

  it.each([
    ["DELETE", "", 405, "METHOD_NOT_ALLOWED"],
    ["GET", "?limit=0", 400, "QUERY_INVALID"],
    ["GET", "?limit=101", 400, "QUERY_INVALID"],
    ["GET", "?limit=1e1", 400, "QUERY_INVALID"],
    ["POST", "/c/stream", 405, "METHOD_NOT_ALLOWED"],
    ["GET", "/c/other", 404, "NOT_FOUND"],
    ["GET", "/a.b", 404, "NOT_FOUND"],
    ["DELETE", "/none", 404, "CHAT_UNKNOWN"],
    ["DELETE", "/none/stream", 404, "CHAT_UNKNOWN"],
  ])("%s %s is %i %s", async (method, path, status, code) => {
    expect(await codeOf(await send(path, { method }))).toEqual([status, code]);
  });

  it("needs credentials that are known, and those that may write for what changes something", async () => {
    const id = `${name}-2`;

    expect(await codeOf(await send("", { ...chat(id, message("m")), token: "mallory" }))).toEqual([
      401,
      "UNAUTHORIZED",
    ]);
    expect(await codeOf(await send(`/${id}`, { token: "mallory" }))).toEqual([401, "UNAUTHORIZED"]);
    expect(await codeOf(await send("", { ...chat(id, message("m")), token: "eve" }))).toEqual([403, "FORBIDDEN"]);
    expect(await codeOf(await send(`/${id}`, { method: "DELETE", token: "eve" }))).toEqual([403, "FORBIDDEN"]);
    expect(await (await send(`/${id}`, { token: "eve" })).json()).toEqual([]);
  });

  it("keeps the chats of tenants apart, also those with one id", async () => {
    const id = `${name}-3`;
    await (await send("", chat(id, message("m", [{ type: "text", text: "of Ada" }])))).text();

    expect(await (await send(`/${id}`, { token: "bob" })).json()).toEqual([]);
    expect((await send(`/${id}/stream?have=`, { token: "bob" })).status).toBe(204);
    for (const path of [`/${id}`, `/${id}/stream`])
      expect(await codeOf(await send(path, { method: "DELETE", token: "bob" }))).toEqual([404, "CHAT_UNKNOWN"]);
    const listOf = async (token: string) => JSON.stringify(await (await send("?limit=100", { token })).json());
    expect([await listOf("ada"), await listOf("bob")].map((list) => list.includes(id))).toEqual([true, false]);
    const answer = { id: `chat.${id}.1`, role: "assistant", parts: [{ type: "step-start" }] };
    expect(await codeOf(await send("", { ...chat(id, answer), token: "bob" }))).toEqual([409, "MESSAGE_UNKNOWN"]);
    await (await send("", { ...chat(id, message("m", [{ type: "text", text: "of Bob" }])), token: "bob" })).text();

    expect(JSON.stringify(await (await send(`/${id}`)).json())).not.toContain("of Bob");
    expect(JSON.stringify(await (await send(`/${id}`, { token: "bob" })).json())).not.toContain("of Ada");
  });
});

it("an input that a workflow refuses leaves no turn behind", async () => {
  const send = handlerDoor({ input: () => ({ message: () => {} }) });

  expect(await codeOf(await send("", chat("bad-input", message("m"))))).toEqual([400, "VALUE_UNSERIALIZABLE"]);
  expect(await (await send("/bad-input")).json()).toEqual([]);
});

it("says nothing of an unexpected error", async () => {
  const send = handlerDoor({
    input: () => {
      throw new TypeError("postgres://user:secret@db");
    },
  });

  const response = await send("", chat("secret", message("m")));

  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret@");
});

describe("createServer with limits", () => {
  const limited = (limits: object): Send => {
    const app = createServer({ runtime, auth, chat: chatHandler(runtime, { workflow: "echo" }), limits });
    return async (path, init = {}) => app.fetch(new Request(`http://desk.example/chat${path}`, withToken("ada", init)));
  };

  it("opens as many streams as it allows, frees what has ended, and always stops", async () => {
    const send = limited({ streamsPerTenant: 1 });
    const open = await send("", chat("s-1", message("m")));

    expect(await codeOf(await send("", chat("s-2", message("m"))))).toEqual([429, "STREAMS_EXCEEDED"]);
    expect(await codeOf(await send("/s-1/stream?have="))).toEqual([429, "STREAMS_EXCEEDED"]);
    expect((await send("/s-1")).status).toBe(200);
    expect((await send("/s-1/stream", { method: "DELETE" })).status).toBe(204);
    await open.text();
    const second = await send("", chat("s-3", message("m")));
    expect(second.status).toBe(200);
    await second.body?.cancel();
    expect((await send("", chat("s-4", message("m")))).status).toBe(200);
  });

  it("starts as many runs as it allows", async () => {
    const send = limited({ startsPerMinutePerTenant: 1 });
    await (await send("", chat("r-1", message("m")))).text();

    expect(await codeOf(await send("", chat("r-2", message("m"))))).toEqual([429, "STARTS_EXCEEDED"]);
    expect((await send("", chat("r-1", message("m")))).status).toBe(200); // the same message again starts no run
  });
});

it("names every wrong option", () => {
  const make = (options: object) => () => chatHandler(runtime, options as ChatOptions);

  expect(make({})).toThrow(/one of `agent`, `workflow` and `pipeline` is needed/);
  expect(make({ workflow: "echo", agent: "echo" })).toThrow(/no more/);
  expect(make({ workflow: "other" })).toThrow(/"other" is not a workflow of the runtime/);
  expect(make({ workflow: "echo", auth: undefined })).toThrow(/`auth`/);
  expect(make({ workflow: "echo", basePath: "chat", map: 1, inputs: 2 })).toThrow(/basePath.*/);
});
