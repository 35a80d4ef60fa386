/** Another version of the code behind the same address: Restate goes on with the invocations that it has there. */
import { setTimeout as pause } from "node:timers/promises";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent } from "millrace";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { freePort } from "../../../test-ports.js";
import { serveHost } from "./support/host.js";
import { type Restate, startRestate } from "./support/restate.js";

class Go extends StartEvent.define("Go", {}) {}
class Middle extends event("Middle", {}) {}
class Late extends event("Late", {}) {}
class Ok extends HumanResponseEvent.define("Ok", {}) {}

let begun = 0;

const before = defineWorkflow("flow")
  .step("first", { on: Go, emits: Middle }, () => new Middle({}))
  .step("second", { on: Middle, emits: StopEvent }, async () => {
    begun++;
    await pause(60_000); // its endpoint is gone long before
    return new StopEvent({ result: "before" });
  })
  .build();

/** The same run goes on to a step that was not there, and its state has a field that was not there. */
const after = defineWorkflow("flow", { state: { seen: z.number().default(7) } })
  .step("first", { on: Go, emits: Middle }, () => new Middle({}))
  .step("second", { on: Middle, emits: Late }, () => new Late({}))
  .step("third", { on: Late, emits: StopEvent }, async (_late, ctx) => {
    const { seen } = await ctx.store.getState();
    return new StopEvent({ result: `after, with ${seen}` });
  })
  .build();

const waitBefore = defineWorkflow("waits")
  .step("wait", { on: Go, emits: StopEvent, waits: [Ok] }, async (_go, ctx) => {
    await ctx.waitForEvent(Ok);
    return new StopEvent({ result: "before" });
  })
  .build();
const waitAfter = defineWorkflow("waits")
  .step("wait", { on: Go, emits: Late, waits: [Ok] }, async (_go, ctx) => {
    await ctx.waitForEvent(Ok);
    return new Late({});
  })
  .step("end", { on: Late, emits: StopEvent }, () => new StopEvent({ result: "after" }))
  .build();

let restate: Restate;
beforeAll(async () => {
  restate = await startRestate();
});
afterAll(() => restate?.[Symbol.asyncDispose]());

it("goes on under the new code in the middle of an activation, with the rounds of the old one as they were", async () => {
  const port = await freePort();
  const old = await serveHost(restate, { flow: before }, { port });
  old.runtime.run("flow", {}, { runId: "deployed" }).catch(() => {}); // its client goes with it
  await expect.poll(() => begun).toBe(1);
  await old[Symbol.asyncDispose]();

  await using served = await serveHost(restate, { flow: after }, { port });

  expect(await served.runtime.handle("deployed")).toBe("after, with 7");
  const types = [];
  for await (const { tick } of served.runtime.history("deployed")) types.push(tick.type);
  expect(types).toContain("definition.changed");
  const failures = await restate.sql("SELECT last_failure FROM sys_invocation WHERE last_failure LIKE '%mismatch%'");
  expect(failures).toEqual([]);
});

it("wakes a waiting run under the new code", async () => {
  const port = await freePort();
  const old = await serveHost(restate, { waits: waitBefore }, { port });
  await old.runtime.run("waits", {}, { runId: "waited" }).idle();
  await old[Symbol.asyncDispose]();

  await using served = await serveHost(restate, { waits: waitAfter }, { port });
  const run = served.runtime.handle("waited");
  await run.sendEvent(new Ok({}));

  expect(await run).toBe("after");
});
