/** Who did what to runs, over HTTP and other doors: as it is stored, and as others may see it. */
import { createRuntime, type Runtime } from "millrace/runtime";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createServer, type Rights } from "../src/index.js";
import { mcpHandler } from "../src/mcp-handler.js";
import { workflows } from "./child/workflows.js";

const tokens: { token: string; tenant: string; user?: string; may?: Rights }[] = [
  { token: "ada", tenant: "red", user: "ada" },
  { token: "bob", tenant: "red", user: "bob" },
  { token: "blue", tenant: "blue", user: "ada" },
  { token: "reader", tenant: "red", user: "rita", may: ["read", "start", "answer", "fork"] },
  { token: "support", tenant: "red", user: "sue", may: { refund: ["operate"], "*": ["read"] } },
];

let runtime: Runtime;
let app: ReturnType<typeof createServer>;
beforeEach(() => {
  const made = createRuntime({ workflows });
  runtime = made as unknown as Runtime;
  app = createServer({
    runtime,
    auth: bearerAuth({ tokens }),
    mcp: mcpHandler(made, { tools: { add: "Adds." } }),
  });
  onTestFinished(() => runtime.stop());
});

// biome-ignore lint/suspicious/noExplicitAny: bodies of all routes.
type Answer = { readonly status: number; readonly body: any };

async function ask(token: string, route: string, body?: object): Promise<Answer> {
  const [method, path] = route.split(" ") as [string, string];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await app.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: await response.json() };
}

async function audit(token: string, query = ""): Promise<string[]> {
  const { body } = await ask(token, `GET /audit${query}`);
  // biome-ignore lint/suspicious/noExplicitAny: entries as they travel.
  return body.entries.map(({ action, handler_id: id, by }: any) => `${by.user} ${by.door}: ${action} ${id}`);
}

const start = (token: string, id: string, name = "refund") =>
  ask(token, `POST /workflows/${name}/run`, { handler_id: id, ...(name === "add" && { kwargs: { left: 1 } }) });

describe("GET /audit", () => {
  it("says who did what through every route, and finds it by user, action, run and workflow", async () => {
    await start("ada", "r");
    const { body } = await ask("ada", "GET /handlers/r/prompts");
    const promptId = body.prompts[0].prompt_id;
    await ask("bob", "POST /handlers/r/cancel", {});
    await ask("bob", "POST /handlers/r/resume", {});
    await ask("ada", "POST /handlers/r/fork", { at: 1, handler_id: "f" });
    expect(await ask("bob", `POST /handlers/r/prompts/${encodeURIComponent(promptId)}`, { fields: {} })).toBeTruthy();
    await ask("bob", "POST /handlers/f/cancel?purge=true", {});
    await start("ada", "s", "add");

    expect(await audit("ada", "?user=bob")).toEqual([
      "bob http: delete f",
      "bob http: cancel f",
      ...(await audit("ada", "?user=bob&action=answer")),
      "bob http: resume r",
      "bob http: cancel r",
    ]);
    expect(await audit("ada", "?user=ada")).toEqual(["ada http: start s", "ada http: fork f", "ada http: start r"]);
    expect(await audit("ada", "?handler_id=f&workflow_name=refund")).toHaveLength(3);
    const first = await ask("ada", "GET /audit?limit=1");
    expect(first.body.entries[0]).toMatchObject({ action: "start", handler_id: "s", workflow_name: "add" });
    expect((await ask("ada", `GET /audit?limit=1&cursor=${first.body.cursor}`)).body.entries).toHaveLength(1);

    const history = await ask("ada", "GET /handlers/r/history?types=run.started,run.cancelled,run.resumed");
    // biome-ignore lint/suspicious/noExplicitAny: entries as they travel.
    expect(history.body.entries.map(({ tick }: any) => tick.by)).toEqual([
      { user: "ada", door: "http" },
      { user: "bob", door: "http" },
      { user: "bob", door: "http" },
    ]);
  });

  it("names the door of another protocol", async () => {
    const message = (method: string, params: object) => ({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
    const headers = {
      authorization: "Bearer ada",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "add",
    };
    const call = message("tools/call", { name: "add", arguments: { left: 1 } });
    const response = await app.request("/mcp", { method: "POST", headers, body: JSON.stringify(call) });
    expect(response.status).toBe(200);
    await response.text();
    expect(await audit("ada")).toEqual([expect.stringMatching(/^ada mcp: start /)]);
  });
});

describe("what an attacker says of himself", () => {
  it("is refused in a body, and ignored in a header and in the address", async () => {
    const boss = { user: "boss", door: "api" };
    for (const [route, body] of [
      ["POST /workflows/add/run", { kwargs: { left: 1 }, by: boss }],
      ["POST /handlers/r/cancel", { by: boss }],
      ["POST /handlers/r/fork", { at: 1, by: boss }],
      ["POST /events/r", { event: {}, by: boss }],
      ["POST /handlers/r/prompts/p", { fields: {}, by: boss }],
    ] as const) {
      if (!route.includes("add")) await start("ada", "r");
      expect([route, await ask("bob", route, body)]).toMatchObject([
        route,
        { status: 400, body: { code: "BODY_INVALID" } },
      ]);
    }
    await app.request("/workflows/add/run?user=boss&by=boss", {
      method: "POST",
      headers: { authorization: "Bearer bob", "content-type": "application/json", "x-user": "boss", from: "boss" },
      body: JSON.stringify({ kwargs: { left: 1 } }),
    });
    expect((await audit("ada")).filter((line) => !line.startsWith("ada "))).toEqual([
      expect.stringMatching(/^bob http: start /),
    ]);
  });

  it("reaches no other tenant: neither its entries, nor a cursor of them, nor one of another list", async () => {
    await start("ada", "r");
    await start("bob", "s");
    const { cursor } = (await ask("ada", "GET /audit?limit=1")).body;
    expect(await audit("blue", "?user=ada")).toEqual([]);
    expect(await audit("blue", "?tenant=red&handler_id=r")).toEqual([]);
    expect(await audit("blue", `?cursor=${cursor}`)).toEqual([]);
    await start("blue", "r");
    expect(await audit("blue")).toEqual(["ada http: start r"]);
    const { body } = await ask("ada", "GET /handlers?limit=1");
    expect(await ask("ada", `GET /audit?cursor=${body.cursor}`)).toMatchObject({ status: 400 });
  });

  it("shows nothing without the right `operate`, and only the workflows for which it is given", async () => {
    await start("ada", "r");
    await start("ada", "s", "add");
    expect(await ask("reader", "GET /audit")).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect(await audit("support")).toEqual(["ada http: start r"]);
    expect(await audit("support", "?workflow_name=add")).toEqual([]);
    expect((await ask("reader", "GET /studio/config")).body.audit).toBe(false);
    expect((await ask("support", "GET /studio/config")).body.audit).toBe(true);
  });

  it("does not change: a caller may write no entry, and delete none", async () => {
    await start("ada", "r");
    for (const method of ["POST", "PUT", "DELETE"])
      expect(await ask("bob", `${method} /audit`, {})).toMatchObject({ status: 405 });
    expect(await audit("ada")).toEqual(["ada http: start r"]);
  });
});
