/** Servers whose runtime is opened with the first request. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHandler, createServer } from "../src/index.js";

const greet = defineWorkflow("greet")
  .step("greet", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: `Hello ${ev.get("name")}` }))
  .build();
const log = { info: () => {}, error: () => {} };
const headers = { "content-type": "application/json" };

const start = (path: string): Request =>
  new Request(`http://localhost${path}`, { method: "POST", headers, body: '{"kwargs":{"name":"Ada"}}' });

function openServer(runtime: () => ReturnType<typeof open> | Promise<ReturnType<typeof open>>) {
  return createServer({ runtime, log });
}
const open = () => createRuntime({ workflows: { greet }, store: memoryStore(), log });

it("a module with a server and a function opens no store when it is imported, only with a request", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-lazy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv("LAZY_RUNS", folder);
  onTestFinished(() => void vi.unstubAllEnvs());

  const { app, handler } = await import("./child/lazy-module.js");
  const before = readdirSync(folder);
  const answers = await Promise.all([app.fetch(start("/api/workflows/greet/run")), handler(start("/"))]);

  expect(before).toEqual([]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["handler.db", "server.db"]));
});

it("requests that come at once share one runtime", async () => {
  const opened = vi.fn(async () => open());
  const app = openServer(opened);

  const answers = await Promise.all([1, 2, 3].map(() => app.request(start("/workflows/greet/run"))));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(opened).toHaveBeenCalledTimes(1);
});

it("a runtime or a store that cannot be opened fails its request, and is opened again for the next one", async () => {
  const once = <Value>(value: () => Value) =>
    vi.fn(value).mockImplementationOnce(() => {
      throw new RangeError("the disk is full");
    });
  const app = openServer(once(open));
  const handler = createHandler(greet, { store: once(memoryStore), log });

  const failed = [await app.request(start("/workflows/greet/run")), await handler(start("/"))];
  const next = [await app.request(start("/workflows/greet/run")), await handler(start("/"))];

  expect(failed.map(({ status }) => status)).toEqual([500, 500]);
  expect(await failed[0]?.text()).not.toContain("disk");
  expect(next.map(({ status }) => status)).toEqual([200, 200]);
});

it("wrong options are refused at once, and what needs the runtime with the request", async () => {
  expect(() => createServer({ runtime: open, basePath: "api" })).toThrow(/basePath/);
  const errors: unknown[] = [];
  const app = createServer({
    runtime: open,
    internalEvents: ["gret"],
    log: { info: () => {}, error: (_, error) => void errors.push(error) },
  });

  const answer = await app.request(start("/workflows/greet/run"));

  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ code: "INTERNAL" });
  expect(errors).toMatchObject([{ code: "OPTION_INVALID" }]);
});
