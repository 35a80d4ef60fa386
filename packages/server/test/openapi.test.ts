/** What `/openapi.json` says, before a strict linter. */
import { createConfig, lintFromString, type NormalizedProblem } from "@redocly/openapi-core";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createServer, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

async function documentOf(options: Partial<ServerOptions> = {}): Promise<Json> {
  const runtime = createRuntime({ workflows });
  onTestFinished(() => runtime.stop());
  return (await createServer({ runtime, publicDocs: true, ...options }).request("/openapi.json")).json();
}

async function problemsOf(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "/openapi.json", config });
  return problems.map(
    ({ ruleId, message, location }: NormalizedProblem) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
}

const operationsOf = (document: Json): Json[] =>
  Object.values(document.paths as Json).flatMap((path) => Object.values(path as Json) as Json[]);

const telemetry = { contentType: "text/plain", text: async () => "" };

/** Of `/a/word` beside `/a/{id}`: a thing with that id cannot be reached. */
function fixedWords(paths: readonly string[]): string[] {
  const isParameter = (part: string | undefined): boolean => part?.startsWith("{") ?? false;
  return paths.flatMap((path) => {
    const parts = path.split("/");
    const at = parts.findIndex((part, index) =>
      paths.some((other) => {
        const others = other.split("/");
        const isLike =
          others.length === parts.length && others.every((one, place) => place === index || one === parts[place]);
        return isLike && isParameter(others[index]) && !isParameter(part);
      }),
    );
    return at < 0 ? [] : [parts[at] as string];
  });
}

/** Of an id that may be left out. */
function patternOf(schema: Json): string {
  return schema.pattern ?? schema.anyOf.find(({ pattern }: Json) => pattern !== undefined).pattern;
}

describe("the OpenAPI document", () => {
  it.each<[string, Partial<ServerOptions>]>([
    ["of a server that asks nobody", {}],
    ["of one with schedules", { schedules: true }],
    ["of one that shows code", { sources: { read: async () => null } }],
    ["of one that asks who it is", { auth: bearerAuth({ tokens: ["secret"] }) }],
  ])("%s has nothing that a strict linter reports", async (_name, options) => {
    expect(await problemsOf(await documentOf(options))).toEqual([]);
  });

  it("is looked at by a linter that reports what is missing", async () => {
    const document = await documentOf();
    document.paths["/tick"].post.operationId = "listHandlers";
    document.info.license = undefined;

    expect((await problemsOf(document)).map((problem) => problem.split(":")[0]).sort()).toEqual([
      "info-license",
      "operation-operationId-unique",
    ]);
  });

  it("names every operation, each by another name", async () => {
    const names = operationsOf(await documentOf()).map(({ operationId }) => operationId);

    expect(names).toContain("streamEvents");
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => typeof name === "string")).toBe(true);
  });

  it("says how to tell who asks, and that the health needs nobody", async () => {
    const document = await documentOf({ auth: () => ({}) });
    const cookie = { type: "apiKey", in: "cookie", name: "session" };
    const own = await documentOf({ auth: () => ({}), securityScheme: cookie });

    expect(document.components.securitySchemes).toEqual({ credentials: { type: "http", scheme: "bearer" } });
    expect(document.security).toEqual([{ credentials: [] }]);
    expect(document.paths["/health"].get.security).toEqual([]);
    expect(own.components.securitySchemes).toEqual({ credentials: cookie });
    expect((await documentOf()).components.securitySchemes).toBeUndefined();
  });

  it("requires a body where something in it is required", async () => {
    const { paths } = await documentOf();
    const isRequired = (path: string): unknown => paths[path].post.requestBody.required;

    for (const path of ["/events/{id}", "/handlers/{id}/fork"]) expect(isRequired(path), path).toBe(true);
    for (const path of ["/workflows/{name}/run", "/handlers/{id}/cancel"]) expect(isRequired(path), path).toBe(false);
  });

  it("lets nobody give a run an id that is a path of its own", async () => {
    const { paths, components } = await documentOf({ schedules: true, metrics: telemetry });
    const words = fixedWords(Object.keys(paths));

    expect([...words].sort()).toEqual(["bulk", "counts", "matching"]);
    for (const body of ["RunBody", "ForkBody", "BulkBody"]) {
      const pattern = new RegExp(patternOf(components.schemas[body].properties.handler_id), "u");
      for (const id of [...words, ".", ".."]) expect(pattern.test(id), `${body} ${id}`).toBe(false);
      for (const id of ["counts2", "a", "...", "xcounts", "Counts"]) expect(pattern.test(id)).toBe(true);
    }
  });

  it("lets a bare result be anything, and no envelope", async () => {
    const { HandlerWithBareResult: bare, Handler: full } = (await documentOf()).components.schemas;

    expect(bare.allOf).toBeUndefined();
    expect(Object.keys(bare.properties)).toEqual(Object.keys(full.properties));
    expect(bare.properties.result).toEqual({ description: expect.stringContaining("without an envelope") });
  });

  it("tells the headers that are heeded", async () => {
    const { paths } = await documentOf();
    const headersOf = (operation: Json): string[] =>
      operation.parameters.filter((one: Json) => one.in === "header").map((one: Json) => one.name);

    expect(headersOf(paths["/events/{id}"].get)).toEqual(["Last-Event-ID"]);
    expect(headersOf(paths["/events/{id}"].post)).toEqual(["idempotency-key"]);
  });
});

describe("/docs", () => {
  const open = () => {
    const runtime = createRuntime({ workflows });
    onTestFinished(() => runtime.stop());
    return createServer({ runtime, auth: () => null, publicDocs: true, basePath: "/api" });
  };

  it("asks nobody else for anything, and lets a browser do no more", async () => {
    const response = await open().request("/api/docs");
    const page = await response.text();

    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(response.headers.get("content-security-policy")).not.toMatch(/unsafe|https?:|\*/);
    expect(page).not.toMatch(/https?:|\/\/|<script>| on\w+=/);
  });

  it("serves every file that the page names", async () => {
    const app = open();
    const page = await (await app.request("/api/docs")).text();
    const named = [...page.matchAll(/(?:src|href)="(docs[^"]+)"/g)].map(([, file]) => `/api/${file}`);

    expect(named).toEqual(["/api/docs/swagger-ui.css", "/api/docs/swagger-ui.js", "/api/docs/start.js"]);
    const answers = await Promise.all(named.map((path) => app.request(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get("content-type"))).toEqual([
      "text/css; charset=utf-8",
      "text/javascript; charset=utf-8",
      "text/javascript; charset=utf-8",
    ]);
    expect(await answers[1]?.text()).toContain("SwaggerUIBundle");
  });

  it("sends what a server that goes by cookies asks for, also without a body", async () => {
    const script = await (await open().request("/api/docs/start.js")).text();
    const given: { requestInterceptor?: (request: { headers: object }) => { headers: object } } = {};

    new Function("SwaggerUIBundle", script)((options: object) => Object.assign(given, options));

    expect(given.requestInterceptor?.({ headers: {} }).headers).toEqual({ "x-requested-with": "fetch" });
  });
});

describe("a wrong method", () => {
  it.each([
    ["POST", "/handlers", "GET, HEAD"],
    ["PUT", "/workflows/add/run", "POST"],
    ["DELETE", "/handlers/x", "GET, HEAD"],
    ["PATCH", "/events/x", "GET, HEAD, POST"],
    ["GET", "/tick", "POST"],
    ["OPTIONS", "/health", "GET, HEAD"],
    ["POST", "/docs", "GET, HEAD"],
  ])("%s %s is 405, with what is allowed", async (method, path, allowed) => {
    const runtime = createRuntime({ workflows });
    onTestFinished(() => runtime.stop());

    for (const basePath of ["", "/api"]) {
      const response = await createServer({ runtime, basePath }).request(basePath + path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe(allowed);
      expect(await response.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED" });
    }
  });

  it.each([
    ["/workflows/add/run", "GET", "Only POST works here."],
    ["/handlers", "POST", "Only GET and HEAD work here."],
    ["/events/h", "PATCH", "Only GET, HEAD, and POST work here."],
  ])("says of %s which methods work", async (path, method, detail) => {
    const runtime = createRuntime({ workflows });
    onTestFinished(() => runtime.stop());

    const response = await createServer({ runtime }).request(path, { method });

    expect(await response.json()).toMatchObject({ detail });
  });
});
