/** What has ended, as the client reads it. */
import { createServer } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createClient } from "../src/index.js";

class Order extends StartEvent.define("Order", { fails: z.string().optional() }) {}

const order = defineWorkflow("order")
  .step("charge", { on: Order, emits: StopEvent }, ({ fails }) => {
    if (fails !== undefined) throw new Error(fails);
    return new StopEvent({ result: "ok" });
  })
  .build();

it("statistics, failures and runs over time have the names of programs", async () => {
  const runtime = createRuntime({ workflows: { order } }) as unknown as Runtime;
  onTestFinished(() => runtime.stop());
  const app = createServer({ runtime });
  const fetchApp = (url: unknown, init?: RequestInit) => Promise.resolve(app.request(String(url), init));
  const client = createClient({ baseUrl: "http://server/", fetch: fetchApp as typeof fetch });
  for (const input of [{ fails: "card 1 declined" }, { fails: "card 2 declined" }, {}])
    await runtime.run("order", input).then(
      () => {},
      () => {},
    );
  const { workflows, fromMs, toMs } = await client.statistics({ workflow: "order", after: Date.now() - 3_600_000 });
  expect(workflows).toMatchObject([
    { workflow: "order", count: 3, failureRate: 2 / 3, steps: [{ step: "charge" }], periods: [{ count: 3 }] },
  ]);
  expect(workflows[0]?.p50Ms).toBeGreaterThanOrEqual(0);
  expect(toMs - fromMs).toBeGreaterThan(3_600_000);
  const { groups } = await client.failures({ limit: 5 });
  expect(groups).toMatchObject([{ workflow: "order", versions: [{ version: null, count: 2 }] }]);
  expect(Date.now() - (groups[0]?.lastAtMs ?? 0)).toBeLessThan(60_000);
  const { runs } = await client.runs({ failure: groups[0]?.id as string });
  expect(runs).toHaveLength(2);
  const ofStep = (await client.runs({ failedStep: "charge" })).runs;
  expect(ofStep.map(({ handlerId }) => handlerId)).toEqual(runs.map(({ handlerId }) => handlerId));
  expect((await client.matching({ action: "retry", where: { failedStep: "charge" } })).count).toBe(2);
  const { bars } = await client.histogram({ status: "failed", createdAfter: Date.now() - 60_000 });
  expect(bars).toMatchObject([{ counts: { failed: 2, completed: 0 } }]);
  await expect(client.statistics({ foo: 1 } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
