/** What a caller may do, by workflow. Every route of the server is asked by callers with one right each. */
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bearerAuth, createHandler, createServer, type Right, type Rights } from "../src/index.js";
import { workflows } from "./child/workflows.js";

const rights: readonly Right[] = ["read", "start", "answer", "operate", "fork"];
const byWorkflow: Record<string, Rights> = {
  all: rights,
  support: { refund: ["read", "answer"], add: ["start"] },
  others: { "*": ["read"], refund: [] },
  nothing: [],
};
const callers = { ...byWorkflow, ...Object.fromEntries(rights.map((right) => [right, [right]])) };

let runtime: Runtime;
let app: ReturnType<typeof createServer>;
beforeAll(async () => {
  runtime = createRuntime({ workflows }) as unknown as Runtime;
  const tokens = Object.entries(callers).map(([token, may]) => ({ token, may }));
  const metrics = { contentType: "text/plain", text: async () => "up 1" };
  const sources = { read: async () => null };
  app = createServer({ runtime, auth: bearerAuth({ tokens }), schedules: true, metrics, sources });
  await ask("all", "POST", "/workflows/refund/run-nowait", { handler_id: "refund-1" });
  await ask("all", "POST", "/workflows/add/run", { handler_id: "add-1", kwargs: { left: 1 } });
  await ask("all", "PUT", "/schedules/daily", { workflow_name: "refund", cron: "0 6 * * *" });
});
afterAll(() => runtime.stop());

// biome-ignore lint/suspicious/noExplicitAny: bodies of all routes.
type Answer = { readonly status: number; readonly body: any };

async function ask(token: string, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await app.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** The right that each route needs; `null`: none. Written apart from the routes, for a new one has to be thought of. */
const needed: Record<string, Right | "any" | null> = {
  "GET /health": null,
  "GET /workflows": "any",
  "GET /workflows/{name}/schema": "any",
  "GET /workflows/{name}/events": "any",
  "GET /workflows/{name}/representation": "any",
  "GET /workflows/{name}/steps/{step}/source": "read",
  "POST /workflows/{name}/run": "start",
  "POST /workflows/{name}/run-nowait": "start",
  "GET /handlers": "read",
  "GET /handlers/counts": "read",
  "GET /handlers/matching": "operate",
  "POST /handlers/bulk": "operate",
  "GET /handlers/{id}": "read",
  "GET /handlers/{id}/history": "read",
  "GET /handlers/{id}/attempts": "read",
  "GET /handlers/{id}/at/{tick}": "read",
  "GET /handlers/{id}/snapshot": "read",
  "GET /handlers/{id}/prompts": "read",
  "GET /results/{id}": "read",
  "GET /events/{id}": "read",
  "GET /statistics": "read",
  "GET /statistics/failures": "read",
  "GET /statistics/histogram": "read",
  "GET /sessions": "read",
  "GET /sessions/{id}": "read",
  "GET /audit": "operate",
  "GET /metrics": "read",
  "GET /studio/config": null,
  "POST /events/{id}": "answer",
  "POST /handlers/{id}/prompts/{promptId}": "answer",
  "POST /handlers/{id}/cancel": "operate",
  "POST /handlers/{id}/resume": "operate",
  "POST /handlers/{id}/retry": "operate",
  "POST /handlers/{id}/fork": "fork",
  "POST /tick": "operate",
  "GET /schedules": "read",
  "GET /schedules/{name}": "read",
  "GET /schedules/{name}/next": "read",
  "PUT /schedules/{name}": "operate",
  "DELETE /schedules/{name}": "operate",
  "POST /schedules/{name}/pause": "operate",
  "POST /schedules/{name}/resume": "operate",
  "POST /schedules/{name}/edit": "operate",
  "POST /schedules/{name}/reset": "operate",
  "POST /schedules/{name}/start": "operate",
  "GET /queues": "read",
  "GET /queues/{name}": "read",
  "POST /queues/{name}/pause": "operate",
  "POST /queues/{name}/resume": "operate",
  "POST /queues/{name}/limit": "operate",
  "POST /queues/{name}/reset": "operate",
  "GET /workers": "read",
  "GET /budgets": "read",
  "GET /handlers/{id}/budget": "read",
  "GET /handlers/{id}/position": "read",
};

async function routes(): Promise<string[]> {
  const { body } = await ask("all", "GET", "/openapi.json");
  return Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

describe("a caller with one right", () => {
  it("is refused by every route that needs another one, before anything is read", async () => {
    expect((await routes()).sort()).toEqual(Object.keys(needed).sort());
    for (const [route, right] of Object.entries(needed)) {
      const [method, path] = route.split(" ") as [string, string];
      const filled = path
        .replace("{id}", "no-run")
        .replace("{tick}", "1")
        .replace(/\{\w+\}/g, "none");
      for (const token of ["nothing", ...rights].filter((one) => right !== null && one !== right)) {
        if (right === "any" && token !== "nothing") continue;
        const { status, body } = await ask(token, method, filled, method === "GET" ? undefined : {});
        expect([token, route, status, body.code]).toEqual([token, route, 403, "FORBIDDEN"]);
      }
    }
  });

  it("gets what it has a right to", async () => {
    expect(await ask("start", "POST", "/workflows/add/run", { kwargs: { left: 4 } })).toMatchObject({
      status: 200,
      body: { result: { value: { sum: 5 } } },
    });
    expect((await ask("read", "GET", "/handlers/refund-1")).status).toBe(202);
    expect((await ask("fork", "POST", "/handlers/add-1/fork", { at: 1, handler_id: "fork-1" })).status).toBe(200);
    expect(await ask("operate", "POST", "/handlers/fork-1/cancel?purge=true", {})).toMatchObject({ status: 200 });
  });

  it("says which right is missing", async () => {
    const { body } = await ask("read", "POST", "/workflows/add/run", { kwargs: { left: 1 } });
    expect(body.detail).toBe("This needs the right `start` for a workflow, which the caller does not have.");
  });

  it("is told by the studio what the page may offer", async () => {
    const { body } = await ask("support", "GET", "/studio/config");
    expect(body).toMatchObject({ read_only: false, may: { start: true, answer: true, send: true, cancel: false } });
  });
});

describe("rights by workflow", () => {
  it("let a caller answer one workflow and start another", async () => {
    const { body } = await ask("support", "GET", "/handlers/refund-1/prompts");
    expect(body.prompts).toHaveLength(1);
    expect(await ask("support", "POST", "/workflows/refund/run", {})).toMatchObject({
      status: 403,
      body: { detail: 'This needs the right `start` for the workflow "refund", which the caller does not have.' },
    });
    expect((await ask("support", "POST", "/workflows/add/run", { kwargs: { left: 1 } })).status).toBe(200);
    expect(await ask("support", "GET", "/handlers/add-1")).toMatchObject({ status: 403 });
  });

  it("hide the workflows of which a caller has no right, their runs and schedules", async () => {
    expect(await ask("others", "GET", "/handlers/refund-1")).toMatchObject({
      status: 404,
      body: { code: "RUN_UNKNOWN", detail: 'There is no run "refund-1".' },
    });
    expect(await ask("others", "GET", "/handlers/no-run")).toMatchObject({
      status: 404,
      body: { code: "RUN_UNKNOWN" },
    });
    expect(await ask("others", "GET", "/workflows/refund/schema")).toMatchObject({
      status: 404,
      body: { code: "WORKFLOW_UNKNOWN" },
    });
    expect(await ask("others", "GET", "/schedules/daily")).toMatchObject({
      status: 404,
      body: { code: "SCHEDULE_UNKNOWN" },
    });
    expect((await ask("others", "GET", "/schedules")).body.schedules).toEqual([]);
    expect((await ask("all", "GET", "/schedules")).body.schedules).toHaveLength(1);
  });

  it("leave the other workflows out of lists and numbers", async () => {
    const names = async (token: string, query = ""): Promise<Set<string>> => {
      const { body } = await ask(token, "GET", `/handlers${query}`);
      return new Set(body.handlers.map((one: { workflow_name: string }) => one.workflow_name));
    };
    expect(await names("all")).toEqual(new Set(["add", "refund"]));
    expect(await names("support")).toEqual(new Set(["refund"]));
    expect(await names("others")).toEqual(new Set(["add"]));
    expect(await names("others", "?workflow_name=refund")).toEqual(new Set());
    expect((await ask("others", "GET", "/handlers/counts?workflow_name=refund")).body.total).toBe(0);
    expect((await ask("support", "GET", "/handlers/counts")).body.total).toBe(1);
    const { body } = await ask("support", "GET", "/workflows");
    expect(body.workflows.sort()).toEqual(["add", "refund"]);
    const details = new Map(body.details.map((one: { name: string }) => [one.name, one]));
    expect(details.get("add")).toMatchObject({ counts: { total: 0 }, last_run: null });
    expect(details.get("refund")).toMatchObject({ counts: { total: 1 } });
  });

  it("leave out of a live list what the caller may not read", async () => {
    const response = await app.request("/handlers?sse=true", { headers: { authorization: "Bearer others" } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    let text = await read(); // it begins with its first read
    await ask("all", "POST", "/workflows/refund/run-nowait", { handler_id: "refund-live" });
    await ask("all", "POST", "/workflows/add/run", { handler_id: "add-live", kwargs: { left: 1 } });
    while (!text.includes("add-live")) text += await read();
    await reader.cancel();
    expect(text).not.toContain("refund");
  });

  it("need all workflows for what belongs to none", async () => {
    for (const path of ["/sessions", "/metrics"]) expect((await ask("others", "GET", path)).status).toBe(403);
    for (const path of ["/sessions", "/metrics"]) expect((await ask("read", "GET", path)).status).toBe(200);
  });

  it("need the right to start for a schedule, which starts runs", async () => {
    const daily = { workflow_name: "add", cron: "0 6 * * *", kwargs: { left: 1 } };
    expect((await ask("operate", "PUT", "/schedules/mine", daily)).status).toBe(403);
    expect((await ask("all", "PUT", "/schedules/mine", daily)).status).toBe(200);
  });
});

describe("one function", () => {
  const store = memoryStore();
  const handler = (may: Rights) => createHandler(workflows.refund, { store, name: "refund", auth: () => ({ may }) });
  const post = (body: object): Request =>
    new Request("http://localhost/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  it("asks for the right that its request needs", async () => {
    expect((await handler({ refund: ["start"] })(post({ handler_id: "one", kwargs: {} }))).status).toBe(202);
    const look = new Request("http://localhost/?handler_id=one");
    expect((await handler(["start"])(look)).status).toBe(403);
    expect((await handler(["read"])(look)).status).toBe(202);
    expect((await handler(["read"])(post({ handler_id: "one" }))).status).toBe(403);
    expect((await handler(["operate"])(post({ handler_id: "one" }))).status).toBe(202);
  });
});
