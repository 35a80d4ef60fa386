/** Runs whose workflow this server does not have any more: they are seen and deleted, and spoil nothing. */
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type Runtime, type Workflows } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Note extends ExternalEvent.define("Note", {}) {}
class Shown extends event("Shown", {}) {}
const kept = defineWorkflow("kept")
  .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();
const removed = defineWorkflow("removed")
  .step("go", { on: StartEvent, emits: StopEvent, waits: Note, streams: Shown }, async (ev, ctx) => {
    ctx.writeEventToStream(new Shown({}));
    if (ev.get("waits") === true) await ctx.waitForEvent(Note);
    return new StopEvent({ result: 1 });
  })
  .build();

const log = { info: () => {}, error: () => {} };

async function open() {
  const store = memoryStore();
  const close = { close: async () => {} };
  const shared = new Proxy(store, { get: (target, name) => Reflect.get(name in close ? close : target, name) });
  const bound = new Proxy(shared, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
  const openRuntime = (workflows: Workflows) =>
    createRuntime({ workflows, store: bound, log, idleReleaseMs: 0 }) as unknown as Runtime;
  const before = openRuntime({ kept, removed });
  await before.run("removed", { waits: true }, { runId: "waiting" }).idle();
  await before.run("removed", {}, { runId: "ended" });
  await before.run("kept", {}, { runId: "other" });
  await before.stop();
  const runtime = openRuntime({ kept });
  onTestFinished(() => runtime.stop());
  const app = createServer({ runtime, log });
  const ask = async (path: string, method = "GET"): Promise<{ readonly status: number; readonly body: Json }> => {
    const response = await app.fetch(new Request(`http://localhost${path}`, { method }));
    return { status: response.status, body: await response.json() };
  };
  return { ask };
}

it("is listed, with why it cannot go on", async () => {
  const { ask } = await open();
  const { status, body } = await ask("/handlers");

  expect(status).toBe(200);
  expect(body.handlers.map((one: Json) => [one.handler_id, one.error_code]).sort()).toEqual([
    ["ended", "WORKFLOW_UNKNOWN"],
    ["other", null],
    ["waiting", "WORKFLOW_UNKNOWN"],
  ]);
  expect((await ask("/handlers/ended")).body).toMatchObject({ status: "completed", workflow_name: "removed" });
});

it.each(["waiting", "ended"])(
  "%s: 404 for its stream, before the first byte, and for what it would have to run",
  async (id) => {
    const { ask } = await open();

    for (const path of [`/events/${id}`, `/handlers/${id}/history`])
      expect(await ask(path), path).toMatchObject({ status: 404, body: { code: "WORKFLOW_UNKNOWN" } });
  },
);

it.each([
  ["waiting", "WORKFLOW_UNKNOWN"],
  ["ended", "RUN_FINISHED"], // answered from its row
])("%s: 404 for a cancellation, with %s", async (id, code) => {
  const { ask } = await open();

  expect(await ask(`/handlers/${id}/cancel`, "POST")).toMatchObject({ status: 404, body: { code } });
});

it.each(["waiting", "ended"])("%s: can be deleted", async (id) => {
  const { ask } = await open();

  expect(await ask(`/handlers/${id}/cancel?purge=true`, "POST")).toEqual({ status: 200, body: { status: "deleted" } });
  expect((await ask(`/handlers/${id}`)).status).toBe(404);
});
