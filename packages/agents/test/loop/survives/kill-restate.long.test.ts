/** Kills the endpoint of an agent again and again, at random moments, and the server: on Restate. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@millrace/restate";
import { WorkflowError } from "millrace";
import { expect, it } from "vitest";
import { freePort } from "../../../../../test-ports.js";
import { startRestate } from "../../../../restate/test/support/restate.js";
import { flowsOf, inputOf, rounds } from "../../support/agent-flows.js";
import { startScript } from "../../support/scripts.js";
import { type Survival, survive } from "../../support/survival.js";

type Restate = Awaited<ReturnType<typeof startRestate>>;

/** An endpoint in a process of its own; the first one begins the run. */
function onRestate({ ingress, admin, register }: Restate, mode: keyof ReturnType<typeof flowsOf>): Survival["start"] {
  let port: number | null = null;
  return async (world, ended) => {
    const isFirst = port === null;
    port ??= await freePort();
    const child = startScript("restate-process.ts", [String(port), world.url, world.log]);
    await once(child, "message");
    if (!isFirst) return child;
    await register(`http://127.0.0.1:${port}`);
    const runtime = connect({ workflows: flowsOf(world), ingress, admin, pollMs: 50 });
    await runtime.run(mode, inputOf(mode) as never, { runId: "r" }).accepted;
    void resultOf(() => runtime.handle("r")).then(async (result) => {
      await runtime.stop();
      ended(JSON.stringify(result));
    });
    return child;
  };
}

/** Asks again where the server has gone in the middle. */
async function resultOf(attach: () => PromiseLike<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await attach();
    } catch (error) {
      if (!WorkflowError.is(error, "STORE_FAILED")) throw error;
      await sleep(50);
    }
  }
}

it("asks the model at most once more for each kill, and runs each tool under one key", async () => {
  await using restate = await startRestate({ retryAfterMs: 300 });

  const alone = await survive({ kills: 6, seed: 6, start: onRestate(restate, "workflow") });

  expect(alone.result).toContain("I count 12. ");
  expect(alone.asked).toBeLessThanOrEqual(rounds + 1 + alone.killed);
  expect(alone.killed).toBeGreaterThan(2);
  expect(alone).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
  expect(alone.executions).toBeLessThanOrEqual(2 * rounds + 2 * alone.killed);
});

it("does so for two agents in one step", async () => {
  await using restate = await startRestate({ retryAfterMs: 300 });

  const both = await survive({ kills: 3, seed: 7, start: onRestate(restate, "both") });

  expect(both.asked).toBeLessThanOrEqual(2 * (rounds + 1 + both.killed));
  expect(both).toMatchObject({ tools: 4 * rounds, keys: 4 * rounds });
});

it("asks at most once more for each crash of the server", async () => {
  await using restate = await startRestate({ retryAfterMs: 300 });

  const seen = await survive({
    kills: 3,
    seed: 11,
    start: onRestate(restate, "workflow"),
    strike: () => restate.restart(),
  });

  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen.killed).toBeGreaterThan(2);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
});
