/** Endpoints that answer one request at a time, as platforms run them. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Runtime } from "millrace/runtime";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../src/index.js";
import { startLambda } from "./support/lambda.js";
import { type Restate, startRestate } from "./support/restate.js";
import { Approved, serverlessFlows } from "./support/serverless-flows.js";

let restate: Restate;
let runtime: Runtime<typeof serverlessFlows>;

beforeAll(async () => {
  restate = await startRestate();
  const { ingress, admin } = restate;
  runtime = connect({ workflows: serverlessFlows, ingress, admin, pollMs: 50 });
});
afterAll(async () => {
  await runtime?.stop();
  await restate?.[Symbol.asyncDispose]();
});

async function expectRunsToEnd(prefix: string): Promise<void> {
  const orders = [1, 2, 3].map((number) => runtime.run("order", { items: 4 }, { runId: `${prefix}-${number}` }));
  await Promise.all(
    orders.map(async (order) => {
      expect(await order.idle()).toMatchObject({ status: "waiting", prompts: [{ event: { sum: 14 } }] });
      await order.sendEvent(new Approved({ by: order.runId }));
    }),
  );

  const result = { sum: 14, packed: [0, 1, 2, 3] };
  expect(await Promise.all(orders)).toEqual(orders.map(({ runId: by }) => ({ ...result, by })));
  expect(await runtime.run("laps", { laps: 50 }, { runId: `${prefix}-laps` })).toBe("done");
  // Nothing is left that fails again and again.
  const unfinished = () => restate.sql("SELECT target, last_failure FROM sys_invocation WHERE status <> 'completed'");
  await expect.poll(unfinished).toEqual([]);
}

describe("a Lambda function", () => {
  it("runs workflows in instances that are frozen between two requests", async () => {
    await using lambda = await startLambda();
    await restate.register(lambda.uri, { useHttp11: true });

    await expectRunsToEnd("lambda");

    expect(lambda.instances).toBeGreaterThan(1);
    const ofSlices = lambda.handlers.filter((handler) => handler === "start" || handler === "activate");
    expect(ofSlices.length).toBeLessThan(50);
  });
});

describe("a worker of Cloudflare", () => {
  it("runs workflows in workerd", async () => {
    const entryPoints = [fileURLToPath(new URL("child/worker.ts", import.meta.url))];
    const external = ["node:*"];
    const built = await build({ entryPoints, bundle: true, write: false, format: "esm", target: "es2022", external });
    const worker = new Miniflare({
      modules: true,
      script: built.outputFiles[0]?.text as string,
      compatibilityDate: "2026-01-01",
      compatibilityFlags: ["nodejs_compat"],
    });
    await using _worker = { [Symbol.asyncDispose]: () => worker.dispose() };
    const { origin } = await worker.ready;
    await restate.register(origin, { useHttp11: true });

    await expectRunsToEnd("worker");
  });
});
