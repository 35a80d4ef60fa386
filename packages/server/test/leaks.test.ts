/** What a step throws, as everybody outside sees it: no stack, whatever was thrown and wherever it is read. */
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createHandler, createServer } from "../src/index.js";
import { createMcpServer } from "../src/mcp.js";

class Trouble extends event("Trouble", { error: z.unknown() }) {}

const here = process.cwd();
const missing = new Error(`Cannot find module '${pathToFileURL(here).href}/x.js' imported from ${here}/main.js`);
/** What is thrown, and a word of it that everybody may read. */
const thrown: Readonly<Record<string, readonly [value: unknown, shown: string]>> = {
  "an error": [missing, "Cannot find module"],
  "a text": [`ENOENT:${here}/x.json is gone`, "is gone"],
  "an object": [{ why: "it broke", at: here, stack: `Error\n    at run (${here}/x.js:1:2)` }, "it broke"],
  "an error with a cause": [new TypeError("outer", { cause: missing }), "outer"],
  "an error whose message is a stack": [new Error("broke\n    at run (node:internal/timers:5:1)"), "broke"],
};

function flowThat(fails: unknown) {
  return defineWorkflow("failing")
    .step(
      "fail",
      {
        on: StartEvent,
        emits: StopEvent,
        streams: Trouble,
      },
      (ev, ctx) => {
        ctx.writeEventToStream(new Trouble({ error: fails }));
        if (ev.get("returns") === true) return new StopEvent({ result: { error: fails, seen: [missing] } });
        throw fails;
      },
    )
    .build();
}

describe.each(Object.entries(thrown))("%s", (_name, [value, shown]) => {
  it("leaves no stack in any answer of the server", async () => {
    const runtime = createRuntime({ workflows: { failing: flowThat(value) } });
    onTestFinished(() => runtime.stop());
    const app = createServer({ runtime });
    const read = async (path: string): Promise<string> => (await app.request(path)).text();
    const headers = { "content-type": "application/json" };
    const start = (body: object) =>
      app.request("/workflows/failing/run", { method: "POST", headers, body: JSON.stringify(body) });

    const started = await (await start({ handler_id: "one" })).text();
    await start({ handler_id: "two", start_event: { returns: true } });

    expect(started).toContain(shown);
    for (const path of ["/handlers", "/handlers/one", "/results/one", "/events/one", "/events/one?sse=false"])
      expect(await read(path), path).toContain(shown);
    const all = [started];
    for (const id of ["one", "two"])
      for (const path of [
        `/handlers/${id}`,
        `/results/${id}`,
        `/events/${id}`,
        `/handlers/${id}/history`,
        `/handlers/${id}/snapshot`,
      ])
        all.push(await read(path));
    for (const text of all) expectNoLeak(text);
  });

  it("leaves none in what a function and a tool answer", async () => {
    const log = { info: () => {}, error: () => {} };
    const handler = createHandler(flowThat(value), { store: memoryStore(), log });
    const answer = await handler(new Request("http://localhost/", { method: "POST" }));
    const runtime = createRuntime({ workflows: { failing: flowThat(value) } });
    const client = new Client({ name: "test", version: "1" });
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([createMcpServer({ runtime, log }).connect(one), client.connect(other)]);
    onTestFinished(async () => {
      await client.close();
      await runtime.stop();
    });

    for (const text of [
      await answer.text(),
      JSON.stringify(await client.callTool({ name: "failing", arguments: {} })),
    ]) {
      expect(text).toContain(shown);
      expectNoLeak(text);
    }
  });
});

function expectNoLeak(text: string): void {
  expect(text).not.toMatch(/\bat run\b|\.ts:\d|"stack"/);
}
