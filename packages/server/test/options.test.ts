/** What `createServer` and `bearerAuth` take, asked without a network. */
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createHandler, createServer } from "../src/index.js";

const echo = defineWorkflow("echo")
  .step("echo", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: ev.get("text") }))
  .build();

function open(): Runtime {
  const runtime = createRuntime({ workflows: { echo } });
  onTestFinished(() => runtime.stop());
  return runtime as unknown as Runtime;
}

const get = (path: string, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, { headers });

describe("auth", () => {
  it("takes a function of yours", async () => {
    const app = createServer({
      runtime: open(),
      auth: async (request) => (request.headers.get("x-user") === "ann" ? { tenant: "ann" } : null),
    });

    expect((await app.fetch(get("/handlers", { "x-user": "ann" }))).status).toBe(200);
    expect((await app.fetch(get("/handlers", { "x-user": "bob" }))).status).toBe(401);
  });

  it("refuses everybody when it fails, and says nothing about why", async () => {
    const lines: string[] = [];
    const log = { info: () => {}, error: (message: string, error: unknown) => void lines.push(`${message} ${error}`) };
    const auth = (): never => {
      throw new Error("password of the database: 1234");
    };
    const response = await createServer({ runtime: open(), auth, log }).fetch(get("/handlers"));
    const body = (await response.json()) as { id: string };

    expect(response.status).toBe(500);
    expect(body).toEqual({ detail: "Something went wrong here.", code: "INTERNAL", id: expect.any(String) });
    expect(lines).toEqual([expect.stringContaining(`(${body.id}). Error: password`)]);
  });

  it.each([undefined, "yes", { tenant: 7 }, { tenant: "a\0b" }])("refuses who it says is %j", async (identity) => {
    const log = { info: () => {}, error: () => {} };
    const app = createServer({ runtime: open(), log, auth: () => identity as never });

    expect((await app.fetch(get("/handlers"))).status).toBeGreaterThanOrEqual(400);
  });

  it("shows the docs to everybody when asked to", async () => {
    const app = createServer({ runtime: open(), auth: () => null, publicDocs: true, basePath: "/api/v1" });

    expect((await app.fetch(get("/api/v1/openapi.json"))).status).toBe(200);
    expect((await app.fetch(get("/api/v1/docs"))).status).toBe(200);
    expect((await app.fetch(get("/api/v1/health"))).status).toBe(200);
    expect((await app.fetch(get("/api/v1/workflows"))).status).toBe(401);
    expect((await app.fetch(get("/workflows"))).status).toBe(404);
  });

  it("asks for credentials by the path that chooses the route, however it is written", async () => {
    const app = createServer({ runtime: open(), auth: () => null });

    expect((await app.fetch(get("/he%61lth"))).status).toBe(200);
    for (const path of ["/w%6Frkflows", "/health/../workflows", "/health%2f..%2fworkflows", "/health/", "//health"])
      expect((await app.fetch(get(path))).status, path).toBe(401);
  });

  it.each([[[]], [[""]], [["a b"]], [["secret\n"]], [[undefined]], [[{ token: "" }]], [undefined]])(
    "refuses the tokens %j",
    (tokens) => {
      expect(() => bearerAuth({ tokens: tokens as never })).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID" }),
      );
    },
  );

  it.each([
    [[{ token: "a", tenant: 7 }], /token 0 has a tenant/],
    [["a", { token: "b", may: ["reed"] }], /token 1 has a `may` with "reed", where the rights are read, start/],
    [["a", "b", { token: "a", tenant: "acme" }], /tokens 0 and 2 are equal/],
    [[{ token: "a", may: ["read"] }, { token: "a" }], /tokens 0 and 1 are equal/],
    [[null], /has no token/],
  ])("refuses tokens that do not say who asks: %j", (tokens, message) => {
    expect(() => bearerAuth({ tokens: tokens as never })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringMatching(message) }),
    );
  });
});

describe("cors", () => {
  it("lets the named origins in, before credentials are asked for", async () => {
    const app = createServer({ runtime: open(), auth: () => null, cors: { origins: ["https://app.example"] } });
    const ask = (origin: string): Promise<Response> =>
      Promise.resolve(app.fetch(new Request("http://localhost/handlers", { method: "OPTIONS", headers: { origin } })));

    expect((await ask("https://app.example")).headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    expect((await app.fetch(get("/handlers", { origin: "https://app.example" }))).status).toBe(401);
  });

  it("lets a page send each header that is read", async () => {
    const app = createServer({ runtime: open(), cors: { origins: ["https://app.example"] } });
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    const asked = new Request("http://localhost/workflows/echo/run", { method: "OPTIONS", headers });

    const allowed = (await app.fetch(asked)).headers.get("access-control-allow-headers")?.split(",");

    expect(allowed).toEqual(expect.arrayContaining(["authorization", "idempotency-key", "traceparent", "tracestate"]));
  });

  it("lets a page send a header that only `auth` reads", async () => {
    const cors = { origins: ["https://app.example"], headers: ["X-Api-Key"] };
    const app = createServer({ runtime: open(), cors });
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    const asked = new Request("http://localhost/workflows/echo/run", { method: "OPTIONS", headers });

    const allowed = (await app.fetch(asked)).headers.get("access-control-allow-headers")?.split(",");

    expect(allowed).toEqual(expect.arrayContaining(["authorization", "X-Api-Key"]));
  });

  it("keeps what pages elsewhere send without asking out", async () => {
    const app = createServer({ runtime: open(), cors: { origins: ["https://app.example"] } });
    const send = async (origin: string, site: string): Promise<number> => {
      const headers = { origin, "sec-fetch-site": site };
      return (await app.fetch(new Request("http://localhost/tick", { method: "POST", headers }))).status;
    };

    expect(await send("https://evil.example", "cross-site")).toBe(403);
    expect(await send("https://app.example", "cross-site")).toBe(200);
    expect(await send("http://localhost", "same-origin")).toBe(200);
  });

  it("cannot be open to any origin with credentials", () => {
    expect(() => createServer({ runtime: open(), cors: { origins: ["*"], credentials: true } })).toThrow("any origin");
    for (const origin of ["http://localhost:5173", "https://[::1]:8443", "capacitor://localhost", "*"])
      expect(() => createServer({ runtime: open(), cors: { origins: [origin] } })).not.toThrow();
  });
});

describe("options", () => {
  it("are refused with everything that is wrong", () => {
    const wrong = { limits: { bodyBytes: 0, streams: Number.NaN }, basePath: "api/", additionalEvents: { ech: [] } };

    expect(() => createServer({ runtime: open(), ...wrong })).toThrow(
      /bodyBytes.*streams.*basePath.*additionalEvents/s,
    );
  });

  it.each([
    [{ basepath: "/api" }, /`basepath` is not an option \(did you mean `basePath`/],
    [{ limits: { bodyByte: 1 } }, /there is no `limits.bodyByte`/],
    [{ auth: "secret" }, /`auth` must be a function/],
    [{ auth: undefined }, /`auth` must be a function/],
    [{ auth: null }, /`auth` must be a function/],
    [{ cors: true }, /`cors` has no list `origins`/],
    [{ cors: { origins: ["https://app.example/", "app.example", 7] } }, /"https:\/\/app.example\/".*"app.example".*7/s],
    [{ cors: { origins: ["*"], headers: "x-api-key" } }, /`cors.headers` is not a list of headers/],
    [{ cors: { origins: ["*"], headers: ["*"] } }, /`cors.headers` has "\*", no header such as "x-api-key"/],
    [{ runtime: {} }, /`runtime` is no runtime/],
    [{ publicDocs: "false" }, /`publicDocs` is "false", not true or false/],
    [{ clientOf: "x-forwarded-for" }, /`clientOf` is "x-forwarded-for", not a function/],
    [{ additionalEvents: null }, /`additionalEvents` has no lists/],
    [{ additionalEvents: { echo: StartEvent } }, /`additionalEvents.echo` is .*not a list of classes of events/],
    [{ additionalEvents: { echo: ["Ping"] } }, /`additionalEvents.echo` is .*not a list of classes of events/],
    [{ log: {} }, /`log` is .*not a log/],
  ])("are not taken for others: %j", (wrong, message) => {
    expect(() => createServer({ runtime: open(), ...(wrong as object) })).toThrow(message);
  });

  it.each([undefined, null, "http://localhost"])("have to be an object, and not %j", (options) => {
    const wrong = { code: "OPTION_INVALID", message: expect.stringContaining("not an object") };

    expect(() => createServer(options as never)).toThrow(expect.objectContaining(wrong));
    expect(() => createHandler(echo, options as never)).toThrow(expect.objectContaining(wrong));
  });

  it("that are undefined count as left out", async () => {
    const none = { basePath: undefined, studio: undefined, log: undefined, limits: undefined, cors: undefined };
    const app = createServer({ runtime: open(), ...(none as object) });

    expect((await app.fetch(get("/health"))).status).toBe(200);
    expect((await app.fetch(get("/studio/"))).status).toBe(404);
  });

  it("of one function are refused in the same way", () => {
    const wrong = { store: {}, driveMs: 0, limits: { bodyDepth: 0 }, auth: "secret", origins: ["*"], drive: 1 };
    const more = { name: 7, additionalEvents: {}, internalEvents: "false", log: {} };

    expect(() => createHandler(echo, wrong as never)).toThrow(
      /`drive` is not an option.*`store` is not a run store.*driveMs.*`auth` must be a function.*`origins` has "\*".*bodyDepth/s,
    );
    expect(() => createHandler(echo, more as never)).toThrow(
      /`name` is 7, not a text.*`additionalEvents` is .*not a list.*`internalEvents` is "false".*`log` is /s,
    );
  });

  it("add events that no step names", async () => {
    class Ping extends ExternalEvent.define("Ping") {}
    const app = createServer({ runtime: open(), additionalEvents: { echo: [Ping] } });

    const { events } = (await (await app.fetch(get("/workflows/echo/events"))).json()) as {
      events: { title: string }[];
    };
    expect(events.map(({ title }) => title)).toContain("Ping");
  });

  it("stop nothing and start nothing: a stopped runtime is 503", async () => {
    const runtime = open();
    const app = createServer({ runtime });
    await runtime.stop();

    const response = await app.fetch(get("/handlers/x"));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect((await app.fetch(get("/health"))).status).toBe(503);
  });
});
