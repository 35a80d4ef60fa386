/** The studio below a server: its files for everybody, its data for who may see it. */
import { readFileSync } from "node:fs";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createHandler, createServer, type ServerOptions, type StudioFiles } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

const files: Readonly<Record<string, string>> = {
  "index.html":
    '<!doctype html><link href="./assets/app-1a2b.css"><script type="module" src="./assets/app-1a2b.js"></script>',
  "assets/app-1a2b.js": "fetch('../studio/config')",
  "assets/app-1a2b.css": "body { margin: 0 }",
};
const asked: string[] = [];
const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
};
const studioFile: StudioFiles = async (path) => {
  asked.push(path);
  if (!Object.hasOwn(files, path)) return null;
  const type = types[path.split(".").at(-1) as string] as string;
  return { body: new TextEncoder().encode(files[path]), type, isHashed: path.startsWith("assets/") };
};

function open(options: Partial<ServerOptions> = {}) {
  const runtime = createRuntime({ workflows });
  onTestFinished(() => runtime.stop());
  return createServer({ runtime, studio: studioFile, ...options });
}

const tokens = bearerAuth({
  tokens: [
    { token: "red", tenant: "acme", client: "ann" },
    { token: "eye", tenant: "acme", may: ["read"] },
  ],
});
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const posted = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };

describe("the page", () => {
  it.each(["", "/api", "/a/b"])("is below %j/studio/, and all that it refers to is there, too", async (basePath) => {
    const app = open({ basePath });
    const page = await app.request(`${basePath}/studio/`);
    const references = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);

    expect(references).toHaveLength(2);
    for (const reference of references) {
      const { origin, pathname } = new URL(reference, `http://localhost${basePath}/studio/`);
      expect(origin).toBe("http://localhost");
      const found = await app.request(pathname);
      expect(found.status).toBe(200);
      expect(found.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-cache");
  });

  it("leads from /studio to /studio/, wherever it is mounted", async () => {
    const response = await open({ basePath: "/api" }).request("/api/studio");
    const location = new URL(response.headers.get("location") as string, "http://localhost/api/studio");

    expect(response.status).toBe(308);
    expect(location.href).toBe("http://localhost/api/studio/");
  });

  it("may ask nobody but its own server, runs nothing inline and stands in no frame", async () => {
    const { headers } = await open().request("/studio/");
    const policy = (headers.get("content-security-policy") as string).split("; ");

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.filter((rule) => /unsafe|https?:|\*/.test(rule))).toEqual([]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("is open without credentials; its data is not", async () => {
    const app = open({ auth: tokens });

    expect((await app.request("/studio/")).status).toBe(200);
    expect((await app.request("/studio/assets/app-1a2b.js")).status).toBe(200);
    for (const path of ["/studio/config", "/studio/%63onfig", "/handlers"])
      expect((await app.request(path)).status, path).toBe(401);
  });

  it.each([
    "/studio/nothing.js",
    "/studio/..%2fpackage.json",
    "/studio/assets/..%2f..%2fpackage.json",
    "/studio/%2e%2e/package.json",
    "/studio/.env",
    "/studio/%00",
    "/studio/C:%5cx",
    "/studio//etc/passwd",
    "/studio/__proto__",
    "/studio/%E0%A4%A",
  ])("has nothing at %s", async (path) => {
    asked.length = 0;
    const response = await open().request(path);

    expect(response.status).toBe(404);
    expect(asked.filter((one) => one.includes("..") || one.startsWith("/") || one.includes("\0"))).toEqual([]);
  });

  it("is only read", async () => {
    expect((await open().request("/studio/", posted)).status).toBe(405);
    expect((await open().request("/studio/", { method: "HEAD" })).status).toBe(200);
  });

  it("is not there unless it is asked for", async () => {
    const app = open({ studio: false });

    expect((await app.request("/studio/")).status).toBe(404);
    expect((await app.request("/studio/config")).status).toBe(200);
  });

  it("that is not installed is 501, with what to do", async () => {
    const response = await open({ studio: true }).request("/studio/");

    expect(response.status).toBe(501);
    expect(await response.json()).toMatchObject({ code: "STUDIO_MISSING", hint: expect.stringContaining("Install") });
  });

  it("that fails is an error like any other, without its text", async () => {
    const lines: unknown[] = [];
    const log = { info: () => {}, error: (_message: string, error: unknown) => void lines.push(error) };
    const studio = () => Promise.reject(new Error("EACCES /srv/secret"));
    const response = await open({ studio, log }).request("/studio/");

    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(lines).toHaveLength(1);
  });
});

describe("GET /studio/config", () => {
  const all = {
    start: true,
    send: true,
    answer: true,
    cancel: true,
    resume: true,
    retry: true,
    fork: true,
    override: false,
    delete: true,
    operate: true,
  };
  const none = Object.fromEntries(Object.keys(all).map((deed) => [deed, false]));

  it("says what anybody may do where nobody is asked", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

    expect(await (await open().request("/studio/config")).json()).toEqual({
      version,
      read_only: false,
      may: all,
      tenant: null,
      client: null,
      tenants: false,
      metrics: false,
      sources: false,
      tests: false,
      queues: true,
      budgets: false,
      schedules: true,
      audit: true,
    });
  });

  it("says who asks", async () => {
    const app = open({ auth: tokens });
    const config = async (token: string): Promise<Json> => (await app.request("/studio/config", bearer(token))).json();

    expect(await config("red")).toMatchObject({ tenant: "acme", client: "ann", tenants: true, may: all });
    expect(await config("eye")).toMatchObject({ tenant: "acme", read_only: true, may: none });
  });

  it("says that nothing may be changed", async () => {
    const config = await (await open({ readOnly: true }).request("/studio/config")).json();

    expect(config).toMatchObject({ read_only: true, may: none });
  });
});

describe("read only", () => {
  const writes = (app: ReturnType<typeof open>) =>
    app.routes.filter(({ method }) => ["POST", "PUT", "DELETE"].includes(method)).map((one) => [one.method, one.path]);

  it("refuses every route that changes something, whatever its body", async () => {
    const app = open({ readOnly: true, schedules: true });
    const all = writes(app);

    expect(all.length).toBeGreaterThan(10);
    for (const [method, path] of all) {
      const response = await app.request(path as string, { ...posted, method: method as string, body: "{" });
      expect([method, path, response.status]).toEqual([method, path, 403]);
      expect(await response.json()).toMatchObject({ code: "READ_ONLY", hint: expect.any(String) });
    }
  });

  it("lets everybody look", async () => {
    const app = open({ readOnly: true });

    for (const path of ["/health", "/workflows", "/handlers", "/openapi.json", "/studio/"])
      expect((await app.request(path)).status, path).toBe(200);
  });

  it("holds for the callers that `auth` names so, and for no others", async () => {
    const app = open({ auth: tokens });
    const start = (token: string) =>
      app.request("/workflows/add/run", {
        ...posted,
        headers: { ...posted.headers, ...bearer(token).headers },
        body: '{"kwargs":{"left":1}}',
      });

    expect((await start("eye")).status).toBe(403);
    expect((await start("red")).status).toBe(200);
    expect((await app.request("/handlers", bearer("eye"))).status).toBe(200);
  });

  it("holds for one function, too", async () => {
    const handler = createHandler(workflows.add, { store: memoryStore(), auth: () => ({ may: ["read"] }) });

    expect((await handler(new Request("http://localhost/", posted))).status).toBe(403);
    expect((await handler(new Request("http://localhost/?handler_id=x"))).status).toBe(404);
  });

  it("is refused where it is no right, or no flag", async () => {
    const log = { info: () => {}, error: () => {} };
    for (const may of ["read", true, ["reed"], { add: "read" }, { add: [1] }, null]) {
      const app = open({ auth: () => ({ may }) as never, log });
      expect((await app.request("/handlers")).status, JSON.stringify(may)).toBe(500);
    }
    expect(() => open({ readOnly: "false" as never })).toThrow('`readOnly` is "false", not true or false');
    expect(() => open({ studio: { readOnly: true } as never })).toThrow(
      "`studio` is an object, not true or false or `studioFile`",
    );
  });
});
