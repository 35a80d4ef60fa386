import { describe, expect, it } from "vitest";
import { NonRetryableError } from "../retry/retry-policy.js";
import {
  checkResources,
  type Resource,
  ResourceContainer,
  type ResourceMap,
  type ResourceOverride,
  resource,
} from "./resource.js";

interface Scopes {
  readonly app: ResourceContainer;
  readonly workflow: ResourceContainer;
  readonly run: ResourceContainer;
  readonly call: ResourceContainer;
}

function openScopes(
  overrides: readonly ResourceOverride[] = [],
  app: ResourceContainer = new ResourceContainer("app"),
): Scopes {
  const workflow = new ResourceContainer("workflow", app);
  const run = new ResourceContainer("run", workflow, { overrides });
  return { app, workflow, run, call: new ResourceContainer("call", run) };
}

/** Counts how often it was made and notes what was disposed. */
function counted(
  name: string,
  scope: "app" | "workflow" | "run" | "call",
  log: string[],
  needs: ResourceMap = {},
): Resource<string> {
  let made = 0;
  const make = (): string => `${name} ${++made}`;
  return resource(name, make, { scope, resources: needs, dispose: (value) => void log.push(value) });
}

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("ResourceContainer: making", () => {
  it("passes values under the names of the step", async () => {
    const url = resource("url", () => "sqlite:memory");
    const database = resource("database", async ({ url }) => ({ url }), { resources: { url } });

    expect(await openScopes().call.resolve({ db: database, url })).toEqual({
      db: { url: "sqlite:memory" },
      url: "sqlite:memory",
    });
  });

  it("is synchronous when nothing has to be waited for", async () => {
    const scopes = openScopes();
    const database = resource("database", async () => "open");
    const first = scopes.call.resolve({ database });

    expect(first).toBeInstanceOf(Promise);
    await first;
    expect(scopes.call.resolve({ database })).toEqual({ database: "open" });
    expect(scopes.call.resolve({})).toEqual({});
  });

  it("makes a resource once, however many ask at the same time", async () => {
    const scopes = openScopes();
    let made = 0;
    const database = resource("database", async () => {
      await later();
      return ++made;
    });
    const asks = Array.from({ length: 5 }, () => new ResourceContainer("call", scopes.run).resolve({ database }));

    expect(await Promise.all(asks)).toEqual(Array.from({ length: 5 }, () => ({ database: 1 })));
  });

  it("calls concurrent use of one async factory no cycle", async () => {
    const scopes = openScopes();
    const base = resource("base", () => later().then(() => "base"));
    const left = resource("left", ({ base }) => later().then(() => `left of ${base}`), { resources: { base } });
    const right = resource("right", ({ left, base }) => `right of ${left}, ${base}`, { resources: { left, base } });

    const both = await Promise.all([scopes.call.resolve({ right, left }), scopes.call.resolve({ left, right })]);

    expect(both[0]).toEqual({ right: "right of left of base, base", left: "left of base" });
    expect(both[1]).toEqual(both[0]);
  });

  it("distinguishes resources of one name", () => {
    const one = resource("same", () => 1);
    const two = resource("same", () => 2);

    expect(openScopes().call.resolve({ one, two })).toEqual({ one: 1, two: 2 });
  });

  it("makes one for each of its scope", () => {
    const log: string[] = [];
    const app = new ResourceContainer("app");
    const needs = {
      app: counted("app", "app", log),
      workflow: counted("workflow", "workflow", log),
      run: counted("run", "run", log),
      call: counted("call", "call", log),
    };
    const first = openScopes([], app);

    first.call.resolve(needs);

    expect(new ResourceContainer("call", first.run).resolve(needs)).toEqual({
      app: "app 1",
      workflow: "workflow 1",
      run: "run 1",
      call: "call 2",
    });
    expect(openScopes([], app).call.resolve(needs)).toEqual({
      app: "app 1",
      workflow: "workflow 2",
      run: "run 2",
      call: "call 3",
    });
  });
});

describe("ResourceContainer: failing", () => {
  it("names the resource, keeps the cause, and tries again the next time", async () => {
    const scopes = openScopes();
    let tries = 0;
    const cause = new Error("refused");
    const database = resource("database", async () => (++tries === 1 ? Promise.reject(cause) : "open"));

    await expect(scopes.call.resolve({ database })).rejects.toMatchObject({
      code: "RESOURCE_FAILED",
      message: 'Resource "database" could not be made: refused',
      cause,
    });
    expect(await scopes.call.resolve({ database })).toEqual({ database: "open" });
  });

  it("throws at once what a synchronous factory throws, and names that one, not who needs it", () => {
    const database = resource("database", () => {
      throw new NonRetryableError("no licence");
    });
    const repository = resource("repository", () => 1, { resources: { database } });

    expect(() => openScopes().call.resolve({ repository })).toThrow(
      expect.objectContaining({ code: "RESOURCE_FAILED", details: { resource: "database" }, retryable: false }),
    );
  });

  it("leaves no rejection unhandled when one fails at once and another later", async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", listen);
    const slow = resource("slow", () => later().then(() => Promise.reject(new Error("slow"))));
    const quick = resource("quick", () => {
      throw new Error("quick");
    });

    expect(() => openScopes().call.resolve({ slow, quick })).toThrow(/"quick"/);
    await later();
    await later();
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });

  it("names the circle", () => {
    const a = resource("a", () => 1, {
      resources: {
        get b() {
          return b;
        },
      },
    } as { resources: ResourceMap });
    const b: Resource = resource("b", () => 2, { resources: { a } });
    const start = resource("start", () => 3, { resources: { a } });

    expect(() => openScopes().call.resolve({ start })).toThrow(
      expect.objectContaining({
        code: "RESOURCE_FAILED",
        message: expect.stringContaining("a -> b -> a."),
        details: { reason: "cycle", path: ["a", "b", "a"] },
      }),
    );
  });

  it("refuses a resource that needs one which ends before it", () => {
    const session = resource("session", () => 1, { scope: "run" });
    const pool = resource("pool", () => 2, { scope: "app", resources: { session } });

    expect(() => checkResources({ pool })).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringContaining('"pool" (scope "app") needs "session"'),
      }),
    );
  });
});

describe("ResourceContainer: overrides", () => {
  it.each(["app", "workflow", "run", "call"] as const)("wins in the scope %s, and is not disposed", async (scope) => {
    const log: string[] = [];
    const database = counted("database", scope, log);
    const scopes = openScopes([database.override("fake")]);

    expect(scopes.call.resolve({ database })).toEqual({ database: "fake" });
    await scopes.call.dispose();
    await scopes.run.dispose();
    expect(log).toEqual([]);
  });

  it("reaches what needs it, and stays within its run", async () => {
    const app = new ResourceContainer("app");
    const log: string[] = [];
    const database = counted("database", "app", log);
    const repository = resource("repository", ({ database }) => `over ${database}`, {
      scope: "app",
      resources: { database },
    });
    const service = resource("service", ({ repository }) => `service ${repository}`, {
      scope: "app",
      resources: { repository },
    });

    expect(openScopes([], app).call.resolve({ service })).toEqual({ service: "service over database 1" });
    expect(openScopes([database.override("fake")], app).call.resolve({ service })).toEqual({
      service: "service over fake",
    });
    expect(openScopes([], app).call.resolve({ service })).toEqual({ service: "service over database 1" });
  });
});

describe("ResourceContainer: disposing", () => {
  it("disposes what is needed after what needs it", async () => {
    const log: string[] = [];
    const scopes = openScopes();
    const base = resource("base", () => later(), { dispose: () => void log.push("base") });
    const top = resource("top", () => 1, { resources: { base }, dispose: () => void log.push("top") });
    const other = resource("other", () => 1, { dispose: () => void log.push("other") });

    await scopes.call.resolve({ top, other });
    await scopes.workflow.dispose();

    expect(log).toEqual(["top", "base", "other"]);
  });

  it("disposes only what its scope holds", async () => {
    const log: string[] = [];
    const scopes = openScopes();
    scopes.call.resolve({ a: counted("run", "run", log), b: counted("call", "call", log) });

    await scopes.call.dispose();
    expect(log).toEqual(["call 1"]);
    await scopes.run.dispose();
    expect(log).toEqual(["call 1", "run 1"]);
    await scopes.app.dispose();
    expect(log).toEqual(["call 1", "run 1"]);
  });

  it("uses the value's own disposer when no other is given", async () => {
    const log: string[] = [];
    const scopes = openScopes();
    const asynchronous = resource("asynchronous", () => ({
      [Symbol.asyncDispose]: async () => void log.push("async"),
      [Symbol.dispose]: () => void log.push("wrong"),
    }));
    const synchronous = resource("synchronous", () => ({ [Symbol.dispose]: () => void log.push("sync") }));
    const kept = resource("kept", () => ({ [Symbol.dispose]: () => void log.push("wrong") }), { dispose: () => {} });

    scopes.workflow.resolve({ asynchronous, synchronous, kept });
    await scopes.workflow.dispose();

    expect(log).toEqual(["sync", "async"]);
  });

  it("waits for what is being made, and disposes it too", async () => {
    const log: string[] = [];
    const scopes = openScopes();
    const slow = resource("slow", () => later(), { dispose: () => void log.push("slow") });
    void scopes.call.resolve({ slow });

    await scopes.workflow.dispose();

    expect(log).toEqual(["slow"]);
  });

  it("tries all: one failure is thrown as it is, several together", async () => {
    const failing = (name: string): Resource =>
      resource(name, () => name, { dispose: () => Promise.reject(new Error(name)) });
    const log: string[] = [];
    const scopes = openScopes();

    scopes.call.resolve({ a: counted("a", "workflow", log), b: failing("b") });
    await expect(scopes.workflow.dispose()).rejects.toThrow(/^b$/);
    expect(log).toEqual(["a 1"]);

    scopes.call.resolve({ b: failing("b"), c: failing("c") });
    await expect(scopes.workflow.dispose()).rejects.toMatchObject({ errors: [{ message: "c" }, { message: "b" }] });
  });

  it("makes resources anew after it", async () => {
    const log: string[] = [];
    const scopes = openScopes();
    const database = counted("database", "workflow", log);
    scopes.call.resolve({ database });

    await scopes.workflow.dispose();
    await scopes.workflow.dispose();

    expect(log).toEqual(["database 1"]);
    expect(scopes.call.resolve({ database })).toEqual({ database: "database 2" });
  });
});
