/** Methods that a step takes from its context, as by destructuring it. */
import { expect, it } from "vitest";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "../src/index.js";
import { rejection } from "./support/runs.js";

const contextMethods = [
  ...["run", "ask", "sleep", "race", "finish", "scope", "toDict", "retryInfo"],
  ...["sendEvent", "writeEventToStream", "waitForEvent", "collectEvents", "runChild"],
];
const storeMethods = ["get", "getState", "set", "setState", "clear", "editState"];

type Methods = { readonly [name: string]: (...given: unknown[]) => unknown };

function withStep(step: (ctx: Context) => unknown) {
  return defineWorkflow("taken")
    .step("take", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => new StopEvent({ result: await step(ctx) }))
    .build();
}

it.each([
  ...contextMethods.map((name) => ["ctx", name] as const),
  ...storeMethods.map((name) => ["ctx.store", name] as const),
])("of %s, `%s` says how to call it", async (holder, name) => {
  const flow = withStep((ctx) => {
    const { [name]: taken } = (holder === "ctx" ? ctx : ctx.store) as unknown as Methods;
    return taken?.("a", () => 1);
  });

  expect(await rejection(flow.run())).toMatchObject({
    code: "CALL_INVALID",
    message: expect.stringContaining(`\`${name}\` was taken from \`${holder}\``),
    hint: `Call \`${holder}.${name}(…)\`.`,
  });
});

it("the store and the facts of a context can be taken", async () => {
  const flow = withStep(async ({ store, runId, tenant, signal }) => {
    await store.set("n", 1);
    return [await store.get("n"), runId.length > 0, tenant, signal.aborted];
  });

  expect(await flow.run()).toEqual([1, true, "", false]);
});
