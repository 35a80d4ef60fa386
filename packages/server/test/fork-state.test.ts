/** What a caller may set of the state when it forks a run. */
import { defineWorkflow, event, type ForkState, HumanResponseEvent, type Log, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Next extends event("Next") {}

const log = { info: () => {}, error: () => {} };
const state = z.object({
  isApproved: z.boolean().default(false),
  note: z.string().default(""),
  tag: z.string().trim().default(""),
});

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
async function forked(fields: Record<string, unknown>, forkState?: ForkState, onError: Log["error"] = log.error) {
  const runtime = createRuntime({ workflows: { orders: orders(forkState) }, log });
  const app = createServer({ runtime, log: { ...log, error: onError } });
  onTestFinished(() => runtime.stop());
  const post = (path: string, body: unknown) =>
    app.request(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await post("/workflows/orders/run", { handler_id: "one" });
  const response = await post("/handlers/one/fork", { at: 2, handler_id: "two", state: fields });
  const body = (await response.json()) as Json;
  const get = async (path: string) => (await (await app.request(path)).json()) as Json;
  return { status: response.status, body, runs: (await runtime.runs()).runs.length, get };
}

it("without `forkState` a caller may set every field", async () => {
  expect(await forked({ isApproved: true })).toMatchObject({ status: 200, runs: 2 });
});

it.each<[string, ForkState]>([
  ["a list of others", ["note"]],
  ["false", false],
  ["an empty list", []],
  ["what is not a list, as from a program without types", "isApproved" as never],
])("a field is refused by %s", async (_, forkState) => {
  expect(await forked({ isApproved: true, note: "x" }, forkState)).toMatchObject({
    status: 403,
    body: { code: "STATE_CLOSED", detail: expect.stringContaining('"isApproved" cannot be set') },
    runs: 1,
  });
});

it.each<[string, ForkState | undefined, string[]]>([
  ["without `forkState`", undefined, []],
  ["a list", ["note"], ["isApproved", "tag"]],
  ["false", false, ["isApproved", "note", "tag"]],
  ["a function", (fields) => ("note" in fields ? ["note is ours"] : []), ["note"]],
  ["a function that wants other fields, too", ({ note }) => ((note as string).length > 5 ? ["too long"] : []), []],
])("a moment lists the fields that are refused: %s", async (_, forkState, closed) => {
  const { get } = await forked({}, forkState);

  expect((await get("/handlers/one/at/2")).closed).toEqual(closed);
});

it("a field that is named is taken", async () => {
  expect(await forked({ note: "x" }, ["note"])).toMatchObject({ status: 200, runs: 2 });
});

it("a function sees the fields, and says what is wrong", async () => {
  const forkState = ({ note }: Readonly<Record<string, unknown>>) => (note === "x" ? ["x is no note"] : []);

  expect(await forked({ note: "y" }, forkState)).toMatchObject({ status: 200, runs: 2 });
  expect(await forked({ note: "x" }, forkState)).toMatchObject({
    status: 403,
    body: { detail: '"orders" does not accept that state in a fork: x is no note.' },
    runs: 1,
  });
});

it("a field of a type that the function cannot read is the caller's mistake, and its own words are for the log", async () => {
  const told: unknown[][] = [];
  const forkState = ({ note }: Readonly<Record<string, unknown>>) =>
    (note as string).trim() === "" ? ["the note of customer 4711 is empty"] : [];
  const answer = await forked({ note: { deep: 1 } }, forkState, (...said) => void told.push(said));

  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: "STATE_INVALID",
      detail: '"orders" cannot read that state in a fork.',
      hint: "Keep the type that each field of `state` has in the run.",
    },
    runs: 1,
  });
  expect(JSON.stringify(answer.body)).not.toMatch(/trim|4711|function/);
  expect(told).toEqual([
    ['`forkState` of "orders" has thrown; the fork was refused.', expect.objectContaining({ name: "TypeError" })],
  ]);
});

it("a value that the schema of the state would turn into another is the caller's mistake", async () => {
  expect(await forked({ tag: " x " })).toMatchObject({
    status: 400,
    body: { code: "STATE_SCHEMA_CONVERTS", detail: expect.stringContaining('"tag"') },
    runs: 1,
  });
});
