/** Who may ask, and for what. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Handler } from "../src/index.js";
import { ServerProcess } from "./server-process.js";

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const red = bearer("token-red");
const blue = bearer("token-blue");
const cron = bearer("token-cron");

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({
    tokens: [{ token: "token-red", tenant: "red" }, { token: "token-blue", tenant: "blue" }, "token-cron"],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const routes: readonly (readonly ["GET" | "POST", string])[] = [
  ["GET", "/workflows"],
  ["GET", "/workflows/add/schema"],
  ["GET", "/workflows/add/events"],
  ["GET", "/workflows/add/representation"],
  ["POST", "/workflows/add/run"],
  ["POST", "/workflows/add/run-nowait"],
  ["GET", "/handlers"],
  ["GET", "/handlers/x"],
  ["GET", "/results/x"],
  ["POST", "/handlers/x/cancel"],
  ["GET", "/events/x"],
  ["POST", "/events/x"],
  ["GET", "/handlers/x/prompts"],
  ["POST", "/handlers/x/prompts/y"],
  ["POST", "/handlers/x/resume"],
  ["POST", "/handlers/x/retry"],
  ["POST", "/handlers/x/fork"],
  ["GET", "/handlers/x/history"],
  ["GET", "/handlers/x/snapshot"],
  ["POST", "/tick"],
  ["GET", "/studio/config"],
  ["GET", "/openapi.json"],
  ["GET", "/docs"],
  ["GET", "/nothing"],
];

describe("without credentials", () => {
  it.each(routes)("%s %s is 401", async (method, path) => {
    const response = await server.fetch(path, { method });

    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toMatchObject({ code: "UNAUTHORIZED" });
  });

  it.each([
    "Bearer token-re",
    "Bearer token-redd",
    "Bearer ",
    "Bearer",
    "Basic dG9rZW4tcmVk",
    "token-red",
    "Bearer token-red x",
  ])("%s is 401", async (authorization) => {
    expect(await server.get("/workflows", { authorization })).toMatchObject({ status: 401 });
  });

  it("only the health is told", async () => {
    expect((await server.get("/health")).status).toBe(200);
    expect((await server.get("/workflows", red)).status).toBe(200);
  });

  it("no other origin may ask", async () => {
    const response = await server.fetch("/health", { headers: { origin: "https://evil.example" } });

    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("a tenant", () => {
  it("sees and reaches none of another's runs", async () => {
    const { body } = await server.post<Handler>("/workflows/refund/run", { handler_id: "shared" }, red);
    const path = "/handlers/shared";
    const [prompt] = body.prompts;

    const answers = [
      await server.get(path, blue),
      await server.get("/results/shared", blue),
      await server.get(`${path}/prompts`, blue),
      await server.get(`${path}/history`, blue),
      await server.get(`${path}/snapshot`, blue),
      await server.get("/events/shared", blue),
      await server.post("/events/shared", { event: { type: "RefundDecision", value: { approved: true } } }, blue),
      await server.post(`${path}/prompts/${prompt?.prompt_id}`, { fields: { approved: true } }, blue),
      await server.post(`${path}/cancel`, {}, blue),
      await server.post(`${path}/cancel?purge=true`, {}, blue),
      await server.post(`${path}/resume`, {}, blue),
      await server.post(`${path}/retry`, {}, blue),
      await server.post(`${path}/fork`, { at: 1 }, blue),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
    expect((await server.get("/handlers", blue)).body.handlers).toEqual([]);
    expect((await server.get("/handlers", cron)).body.handlers).toEqual([]);
    expect((await server.get("/handlers", red)).body.handlers).toHaveLength(1);
    expect((await server.get(path, red)).body.status).toBe("running");
  });

  it("has ids of its own", async () => {
    const start = { handler_id: "same", kwargs: { left: 1 } };

    expect((await server.post("/workflows/add/run", start, red)).status).toBe(200);
    expect((await server.post("/workflows/add/run", { ...start, kwargs: { left: 5 } }, blue)).status).toBe(200);
    expect((await server.get("/handlers/same", red)).body.result.value).toEqual({ sum: 2 });
    expect((await server.get("/handlers/same", blue)).body.result.value).toEqual({ sum: 6 });
  });

  it("has keys of its own", async () => {
    const key = { "idempotency-key": "one" };
    const start = (who: Record<string, string>, left: number) =>
      server.post("/workflows/add/run", { kwargs: { left } }, { ...who, ...key });

    expect((await start(red, 1)).body.result.value).toEqual({ sum: 2 });
    expect((await start(blue, 5)).body.result.value).toEqual({ sum: 6 });
    for (const who of [red, blue]) await server.post("/workflows/refund/run", { handler_id: "keyed" }, who);
    for (const who of [red, blue])
      expect(await server.post("/handlers/keyed/cancel", {}, { ...who, ...key })).toMatchObject({ status: 200 });
    expect((await server.get("/handlers/keyed", blue)).body.status).toBe("cancelled");
  });

  it("cannot reach over with an id of its own making", async () => {
    await server.post("/workflows/add/run", { handler_id: "of-red", kwargs: { left: 1 } }, red);

    for (const id of ["red%00of-red", "%00of-red", "..%2Fred%2Fof-red", "red/of-red"])
      expect((await server.get(`/handlers/${id}`, blue)).status).toBeGreaterThanOrEqual(400);
  });

  it("does not pump the runs of others", async () => {
    expect(await server.post("/tick", {}, red)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect(await server.post("/tick", {}, cron)).toMatchObject({ status: 200 });
  });
});
