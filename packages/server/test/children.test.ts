/** What the routes tell of the runs that the steps of a run have started. */
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Noted extends event("Noted") {}
class Letter extends ExternalEvent.define("Letter", { text: z.string() }) {}

const low = defineWorkflow("low", { state: { seen: z.array(z.string()).default([]) } })
  .step("note", { on: StartEvent, emits: Noted }, (_event, ctx) =>
    ctx.finish((state) => {
      state.seen.push("note");
      return new Noted();
    }),
  )
  .step("read", { on: Noted, emits: StopEvent, waits: Letter }, async (_event, ctx) => {
    const { text } = await ctx.waitForEvent(Letter);
    return new StopEvent({ result: text });
  })
  .build({ forkState: false });
const top = defineWorkflow("top", { children: { under: low } })
  .step("call", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
    return new StopEvent({ result: await ctx.runChild("under", {}) });
  })
  .build();

const log = { info: () => {}, error: () => {} };

async function open() {
  const runtime = createRuntime({ workflows: { top }, log });
  const app = createServer({ runtime, log });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const get = async (path: string) => {
    const response = await app.request(path);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    await app.request(path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  await post("/workflows/top/run", { handler_id: "one" });
  const { children, ticks } = (await get("/handlers/one?children=true")).body;
  return { get, post, child: children[0], last: ticks.last };
}

describe("a child", () => {
  it("is shown after a tick with its own state and steps", async () => {
    const { get, child, last } = await open();
    const { status, body } = await get(`/handlers/one/at/${last}?run_id=${encodeURIComponent(child.run_id)}`);

    expect(child).toMatchObject({ parent_id: "one", workflow_name: "low", status: "running" });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { number: last, status: "running", waiting: true, state: { seen: ["note"] }, next: [], closed: [] },
    });
    expect(body.steps.map(({ run_id, step, done }: Json) => [run_id, step, done])).toEqual([
      [child.run_id, "note", 1],
      [child.run_id, "read", 0],
    ]);
  });

  it.each(["two", "one/99", "..%2fone"])("that there is none of is refused: %s", async (id) => {
    const { get, last } = await open();

    expect(await get(`/handlers/one/at/${last}?run_id=${id}`)).toMatchObject({
      status: 400,
      body: { code: "OPTION_INVALID" },
    });
  });
});
