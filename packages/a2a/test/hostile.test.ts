import { randomBytes } from "node:crypto";
import type { Task, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { bearerAuth } from "@millrace/server";
import { describe, expect, it } from "vitest";
import { pushNotifications } from "../src/index.js";
import { bindings, clientOf, data, errorOf, returnAtOnce, send, text } from "./support/agent.js";
import { openDesk } from "./support/open-desk.js";
import { secret } from "./support/secret.js";

const json = { "content-type": "application/json", "a2a-version": "1.0" };
const rpc = (method: string, params: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const message = (more: object = {}) => ({
  messageId: "m1",
  role: "ROLE_USER",
  parts: [{ data: { city: "Rome" } }],
  ...more,
});

interface Envelope {
  readonly id: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: readonly { readonly metadata: object }[];
  };
}

async function post(url: string, body: string, headers: object = json): Promise<{ status: number; body: Envelope }> {
  const response = await fetch(`${url}/a2a`, { method: "POST", headers: { ...headers }, body });
  return { status: response.status, body: (await response.json()) as Envelope };
}

const tokens = { a: { token: "a".repeat(32), tenant: "a" }, b: { token: "b".repeat(32), tenant: "b" } };
const auth = bearerAuth({ tokens: Object.values(tokens) });

describe.each(bindings)("a task of another tenant over %s", (binding) => {
  it("reads as not found, for every operation", async () => {
    const push = pushNotifications({ secrets: [secret] });
    await using open = await openDesk({ push }, { auth });
    const [a, b] = [
      await clientOf(open.url, binding, tokens.a.token),
      await clientOf(open.url, binding, tokens.b.token),
    ];
    const { id, contextId } = (await a.sendMessage(send([text("Rome")]))) as Task;
    const name = { id, tenant: "" };
    const config: TaskPushNotificationConfig = {
      tenant: "",
      id: "c",
      taskId: id,
      url: "https://1.1.1.1/",
      token: "",
      authentication: undefined,
    };

    const failing: Readonly<Record<string, () => Promise<unknown>>> = {
      get: () => b.getTask(name),
      getOfTenant: () => b.getTask({ ...name, tenant: "a" }),
      cancel: () => b.cancelTask({ ...name, metadata: undefined }),
      answer: () => b.sendMessage(send([text("yes")], { taskId: id })),
      answerInContext: () => b.sendMessage(send([text("yes")], { taskId: id, contextId })),
      stream: () => b.sendMessageStream(send([text("yes")], { taskId: id })).next(),
      subscribe: () => b.resubscribeTask(name).next(),
      addReceiver: () => b.createTaskPushNotificationConfig(config),
      receivers: () => b.listTaskPushNotificationConfig({ taskId: id, tenant: "", pageSize: 0, pageToken: "" }),
      receiver: () => b.getTaskPushNotificationConfig({ taskId: id, tenant: "", id: "c" }),
      removeReceiver: () => b.deleteTaskPushNotificationConfig({ taskId: id, tenant: "", id: "c" }),
    };

    for (const [operation, act] of Object.entries(failing))
      expect({ operation, ...(await errorOf(act())) }).toMatchObject({
        name: "TaskNotFoundError",
        code: "RUN_UNKNOWN",
      });
    const list = { tenant: "", contextId: "", status: 0, pageToken: "", statusTimestampAfter: undefined };
    for (const asked of [list, { ...list, contextId }, { ...list, tenant: "a" }])
      expect(await b.listTasks(asked)).toMatchObject({ tasks: [], totalSize: 0 });
    expect(await errorOf(b.sendMessage({ ...send([text("Rome")]), tenant: "a" }))).toMatchObject({
      code: "FORBIDDEN",
    });
  });

  it("is not begun by a message id of another tenant", async () => {
    await using open = await openDesk({}, { auth });
    const [a, b] = [
      await clientOf(open.url, binding, tokens.a.token),
      await clientOf(open.url, binding, tokens.b.token),
    ];

    const [ofA, ofB] = await Promise.all(
      [a, b].map((client) => client.sendMessage(send([text("Rome")], { messageId: "same" }))),
    );

    expect((ofA as Task).id).toBe((ofB as Task).id); // ids are of a tenant
    expect((await open.runtime.runs({ tenant: "a" })).runs).toHaveLength(1);
    expect((await open.runtime.runs({ tenant: "b" })).runs).toHaveLength(1);
  });
});

describe("who asks", () => {
  it("needs credentials for everything, and for the card unless it is public", async () => {
    await using open = await openDesk({}, { auth });
    await using shown = await openDesk({ publicCard: true }, { auth });
    const card = "/.well-known/agent-card.json";

    expect((await fetch(open.url + card)).status).toBe(401);
    expect((await fetch(shown.url + card)).status).toBe(200);
    for (const { url } of [open, shown]) {
      expect(
        (await fetch(`${url}/a2a`, { method: "POST", headers: json, body: rpc("GetTask", { id: "t" }) })).status,
      ).toBe(401);
      expect((await fetch(`${url}/a2a/tasks`, { headers: json })).status).toBe(401);
      expect((await fetch(`${url}/a2a${card}`)).status).toBe(401);
    }
  });

  it("is no page of another origin with its cookies", async () => {
    await using open = await openDesk();
    const foreign = { ...json, origin: "https://evil.example", cookie: "session=1" };

    for (const [path, body] of [
      ["/a2a", rpc("SendMessage", { message: message() })],
      ["/a2a/message:send", JSON.stringify({ message: message() })],
    ] as const)
      expect((await fetch(open.url + path, { method: "POST", headers: foreign, body })).status).toBe(403);
    expect((await open.runtime.runs()).runs).toEqual([]);
  });

  it("finds no run that another door has started", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, "JSONRPC");
    const handle = open.runtime.run("booking" as never, { city: "Rome" } as never, { runId: "own" });
    await handle.idle();

    for (const id of ["own", "own/child", "../own", "\u0000", "x".repeat(5_000)])
      expect(await errorOf(client.getTask({ id, tenant: "" }))).toMatchObject({ code: "RUN_UNKNOWN" });
  });
});

describe("a message", () => {
  it("that is sent again is the same task, and its id with another content is refused", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, "JSONRPC");
    const first = send([data({ city: "Rome" })], { messageId: "m" }, returnAtOnce);

    const tasks = (await Promise.all(Array.from({ length: 8 }, () => client.sendMessage(first)))) as Task[];

    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    expect((await open.runtime.runs()).runs).toHaveLength(1);
    const other = send([data({ city: "Oslo" })], { messageId: "m" }, returnAtOnce);
    expect(await errorOf(client.sendMessage(other))).toMatchObject({
      name: "RequestMalformedError",
      code: "RUN_ID_CONFLICT",
    });
  });

  it("that comes late is refused, and one that was taken before is not", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, "HTTP+JSON");
    const { id: taskId } = (await client.sendMessage(send([text("Rome")]))) as Task;
    const answer = send([text("no")], { taskId });
    const done = await client.sendMessage(answer);

    expect(await client.sendMessage(answer)).toEqual(done);
    const late = await errorOf(client.sendMessage(send([text("yes")], { taskId })));
    expect(late).toMatchObject({ name: "UnsupportedOperationError", code: "RUN_FINISHED" });
    const elsewhere = await errorOf(client.sendMessage(send([text("yes")], { taskId, contextId: "other" })));
    expect(elsewhere).toMatchObject({ name: "RequestMalformedError", code: "BODY_INVALID" });
    expect(open.effects).toEqual([`search ${taskId}`]);
    expect(await errorOf(client.resubscribeTask({ id: taskId, tenant: "" }).next())).toMatchObject({
      code: "RUN_FINISHED",
    });
  });

  it("that answers a question that is not open, or with fields that do not fit, changes nothing", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, "JSONRPC");
    const { id: taskId } = (await client.sendMessage(send([text("Rome")]))) as Task;

    const forged = send([data({ approved: true })], { taskId, metadata: { promptId: "forged" } });
    expect(await errorOf(client.sendMessage(forged))).toMatchObject({
      name: "UnsupportedOperationError",
      code: "PROMPT_CLOSED",
    });
    const wrong = await errorOf(client.sendMessage(send([data({ approved: "perhaps" })], { taskId })));
    expect(wrong).toMatchObject({ name: "RequestMalformedError", code: "EVENT_INVALID" });
    expect(JSON.parse(String(wrong["issues"]))).toMatchObject([{ path: "approved" }]);
    expect(await errorOf(client.sendMessage(send([text("perhaps")], { taskId })))).toMatchObject({
      code: "BODY_INVALID",
    });
    expect(open.effects).toEqual([`search ${taskId}`]);
  });

  it("that a workflow does not take is explained", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, "JSONRPC");

    const missing = await errorOf(client.sendMessage(send([data({ town: "Rome" })])));
    expect(missing).toMatchObject({ name: "RequestMalformedError", code: "EVENT_INVALID" });
    expect(String(missing["issues"])).toContain("city");
    const file = {
      content: { $case: "url" as const, value: "https://a.example/b.pdf" },
      metadata: undefined,
      filename: "",
      mediaType: "",
    };
    expect(await errorOf(client.sendMessage(send([file])))).toMatchObject({
      name: "ContentTypeNotSupportedError",
      code: "PART_UNSUPPORTED",
    });
    expect(await errorOf(client.sendMessage(send([data([1])])))).toMatchObject({ code: "BODY_INVALID" });
    expect((await open.runtime.runs()).runs).toEqual([]);
  });
});

describe("a body", () => {
  it.each([
    ["no JSON", "{", 200, -32602, "BODY_INVALID"],
    ["no object", "[]", 200, -32602, "INVALID_PARAMS"],
    ["no method", JSON.stringify({ jsonrpc: "2.0", id: 1 }), 200, -32602, "INVALID_PARAMS"],
    ["an unknown method", rpc("DropTables", {}), 200, -32601, "METHOD_NOT_FOUND"],
    ["the method of another version", rpc("message/send", { message: message() }), 200, -32601, "METHOD_NOT_FOUND"],
    ["params that are no object", rpc("GetTask", [1]), 200, -32602, "INVALID_PARAMS"],
    ["parts that are no list", rpc("SendMessage", { message: message({ parts: 5 }) }), 200, -32602, "BODY_INVALID"],
    ["no parts", rpc("SendMessage", { message: message({ parts: [] }) }), 200, -32602, "BODY_INVALID"],
    ["an empty part", rpc("SendMessage", { message: message({ parts: [{}] }) }), 200, -32005, "PART_UNSUPPORTED"],
    ["no message", rpc("SendMessage", {}), 200, -32602, "BODY_INVALID"],
    ["no message id", rpc("SendMessage", { message: message({ messageId: "" }) }), 200, -32602, "BODY_INVALID"],
    [
      "a long message id",
      rpc("SendMessage", { message: message({ messageId: "m".repeat(201) }) }),
      200,
      -32602,
      "BODY_INVALID",
    ],
    ["no task id", rpc("GetTask", { id: " " }), 200, -32602, "BODY_INVALID"],
    ["an odd page size", rpc("ListTasks", { pageSize: 1_000 }), 200, -32602, "BODY_INVALID"],
    ["a forged page token", rpc("ListTasks", { pageToken: "forged" }), 200, -32602, "OPTION_INVALID"],
    [
      "a key of prototypes",
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"__proto__":{}}}',
      200,
      -32602,
      "BODY_INVALID",
    ],
    [
      "too much depth",
      rpc("SendMessage", { message: message({ parts: [{ data: nested(80) }] }) }),
      200,
      -32602,
      "BODY_INVALID",
    ],
    [
      "too many bytes",
      rpc("SendMessage", { message: message({ parts: [{ text: "x".repeat(2_000_000) }] }) }),
      413,
      -32602,
      "BODY_TOO_LARGE",
    ],
  ])("with %s has an error of JSON-RPC with our code", async (_name, body, status, code, ours) => {
    await using open = await openDesk();

    const answer = await post(open.url, body);

    expect(answer).toMatchObject({ status, body: { error: { code, data: [{ metadata: { code: ours } }] } } });
    expect(open.logged).toEqual([]);
    expect((await open.runtime.runs()).runs).toEqual([]);
  });

  it.each([
    ["/message:send", "{", 400, "BODY_INVALID"],
    ["/message:send", "[]", 400, "BODY_INVALID"],
    ["/message:send", JSON.stringify({ message: message({ parts: 5 }) }), 400, "BODY_INVALID"],
    ["/message:stream", JSON.stringify({}), 400, "BODY_INVALID"],
    [
      "/message:send",
      JSON.stringify({ message: message({ parts: [{ text: "x".repeat(2_000_000) }] }) }),
      413,
      "BODY_TOO_LARGE",
    ],
    ["/tasks/none:cancel", "{}", 404, "RUN_UNKNOWN"],
    ["/tasks/none:subscribe", "{}", 404, "RUN_UNKNOWN"],
    ["/tasks/%E0%A4%A:cancel", "{}", 400, "BODY_INVALID"],
    ["/tasks", "{}", 405, "METHOD_NOT_ALLOWED"],
    ["/nothing", "{}", 404, "NOT_FOUND"],
  ])("to %s has an error of REST with our code", async (path, body, status, code) => {
    await using open = await openDesk();

    const response = await fetch(`${open.url}/a2a${path}`, { method: "POST", headers: json, body });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: status, details: [{ metadata: { code } }] } });
    expect(open.logged).toEqual([]);
  });

  it("of another type or version is refused", async () => {
    await using open = await openDesk();
    const body = rpc("SendMessage", { message: message() });

    expect(await post(open.url, body, { ...json, "content-type": "text/plain" })).toMatchObject({
      body: { error: { data: [{ metadata: { code: "BODY_NOT_JSON" } }] } },
    });
    for (const version of ["0.3", "2.0", ""])
      expect(await post(open.url, body, { ...json, "a2a-version": version })).toMatchObject({
        body: { error: { code: -32009, data: [{ metadata: { code: "VERSION_NOT_SUPPORTED" } }] } },
      });
    expect((await open.runtime.runs()).runs).toEqual([]);
  });

  it("of random bytes never breaks the door", async () => {
    await using open = await openDesk();

    for (let size = 1; size < 60; size++) {
      const answer = await post(open.url, randomBytes(size).toString("latin1"));
      expect(answer.body.error?.code).toBe(-32602);
    }
    expect(open.logged).toEqual([]);
  });
});

it("keeps the text of unexpected errors in the log", async () => {
  await using open = await openDesk({
    input: () => {
      throw new Error("the password of the database is hunter2");
    },
  });
  const body = { message: message() };

  const rpcError = (await post(open.url, rpc("SendMessage", body))).body.error;
  const rest = await fetch(`${open.url}/a2a/message:send`, {
    method: "POST",
    headers: json,
    body: JSON.stringify(body),
  });
  const { error } = (await rest.json()) as {
    readonly error: { readonly message: string; readonly details: readonly object[] };
  };

  expect(rest.status).toBe(500);
  for (const [said, details] of [
    [rpcError?.message, rpcError?.data],
    [error.message, error.details],
  ] as const) {
    expect(said).toBe("Something went wrong here.");
    expect(details).toMatchObject([{ metadata: { code: "INTERNAL", id: expect.any(String) } }]);
  }
  expect(JSON.stringify([rpcError, error])).not.toContain("hunter2");
  expect(String(open.logged)).toContain("hunter2");
});

function nested(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level++) value = { value };
  return value;
}
