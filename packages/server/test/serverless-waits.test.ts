/** The serverless form, with runs that wait for a timer. */
import { type Context, defineWorkflow, ExternalEvent, retryPolicy, StartEvent, StopEvent, wait } from "millrace";
import { memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import { createHandler } from "../src/serverless.js";

const done = new StopEvent({ result: "done" });

class Never extends ExternalEvent.define("Never") {}

function failFirst(attempt: number): void {
  if (attempt === 1) throw new RangeError("not yet");
}

const kinds = {
  sleep: async (ctx: Context, delayMs: number) => {
    await ctx.sleep(delayMs);
    return done;
  },
  "retry of the step": async (ctx: Context) => {
    failFirst(ctx.retryInfo().attempt);
    return done;
  },
  "time-out of a wait": async (ctx: Context, delayMs: number) => {
    await ctx.waitForEvent(Never, { timeout: delayMs }).catch(() => {});
    return done;
  },
};
const names = Object.keys(kinds) as (keyof typeof kinds)[];

async function statusOf(kind: keyof typeof kinds, delayMs: number, driveMs?: number): Promise<number> {
  const workflow = defineWorkflow("waiting")
    .step(
      "wait",
      { on: StartEvent, emits: StopEvent, waits: Never, retry: retryPolicy({ wait: wait.fixed(delayMs) }) },
      (_, ctx) => kinds[kind](ctx, delayMs),
    )
    .build();
  const handler = createHandler(workflow, { store: memoryStore(), ...(driveMs !== undefined && { driveMs }) });
  const headers = { "content-type": "application/json" };
  const request = new Request("https://example.org/", { method: "POST", headers, body: '{"kwargs":{}}' });
  return (await handler(request)).status;
}

it.for(names)("a request drives a run on after a %s of 100 ms", async (kind) => {
  expect(await statusOf(kind, 100)).toBe(200);
});

it.for(names)("a request leaves a run that continues after a %s of two seconds", async (kind) => {
  expect(await statusOf(kind, 2_000)).toBe(202);
});

it.for(names)("a request leaves a run whose %s is due after `driveMs`", async (kind) => {
  expect(await statusOf(kind, 900, 300)).toBe(202);
});
