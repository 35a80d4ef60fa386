/** What a caller may set of the state when it forks a run. */
import { defineWorkflow, event, type ForkState, HumanResponseEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Next extends event("Next") {}

const log = { info: () => {}, error: () => {} };
const state = z.object({ isApproved: z.boolean().default(false), note: z.string().default("") });

function orders(forkState?: ForkState) {
  return defineWorkflow("orders", { state })
    .step("begin", { on: StartEvent, emits: Next }, () => new Next())
    .step("wait", { on: Next, emits: StopEvent, waits: Answer }, async (_event, ctx) => {
      await ctx.waitForEvent(Answer);
      return new StopEvent({ result: null });
    })
    .build(forkState === undefined ? {} : { forkState });
}

/** A run that waits, and a fork of it. */
async function forked(fields: Record<string, unknown>, forkState?: ForkState) {
  const runtime = createRuntime({ workflows: { orders: orders(forkState) }, log });
  const app = createServer({ runtime, log });
  onTestFinished(() => runtime.stop());
  const post = (path: string, body: unknown) =>
    app.request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await post("/workflows/orders/run", { handler_id: "one" });
  const response = await post("/handlers/one/fork", { at: 2, handler_id: "two", state: fields });
  const body = (await response.json()) as Json;
  return { status: response.status, body, runs: (await runtime.runs()).runs.length };
}

it("without `forkState` a caller may set every field", async () => {
  expect(await forked({ isApproved: true })).toMatchObject({ status: 200, runs: 2 });
});

it.each<[string, ForkState]>([
  ["a list of others", ["note"]],
  ["false", false],
  ["an empty list", []],
  ["what is no list, as from a program without types", "isApproved" as never],
])("a field is refused by %s", async (_, forkState) => {
  expect(await forked({ isApproved: true, note: "x" }, forkState)).toMatchObject({
    status: 403,
    body: { code: "STATE_CLOSED", detail: expect.stringContaining('"isApproved" cannot be set') },
    runs: 1,
  });
});

it("a field that is named is taken", async () => {
  expect(await forked({ note: "x" }, ["note"])).toMatchObject({ status: 200, runs: 2 });
});

it("a function sees the fields, and says what is wrong", async () => {
  const forkState = ({ note }: Readonly<Record<string, unknown>>) => (note === "x" ? ["x is no note"] : []);

  expect(await forked({ note: "y" }, forkState)).toMatchObject({ status: 200, runs: 2 });
  expect(await forked({ note: "x" }, forkState)).toMatchObject({
    status: 403,
    body: { detail: '"orders" does not take that state in a fork: x is no note.' },
    runs: 1,
  });
});
