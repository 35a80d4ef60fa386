/** Kills the process of an agent again and again, at random moments, and the server below it: on PostgreSQL. */
import { expect, it } from "vitest";
import { Server } from "../../../../postgres/test/support/server.js";
import { rounds } from "../../support/agent-flows.js";
import { onStore, survive } from "../../support/survival.js";

it("asks the model at most once more for each kill, and runs each tool under one key", async () => {
  await using server = await Server.start(["fsync=off"]);

  const alone = await survive({ kills: 5, seed: 4, start: onStore("workflow", () => `${server.url}#alone`) });

  expect(alone.result).toContain("I count 12. ");
  expect(alone.asked).toBeLessThanOrEqual(rounds + 1 + alone.killed);
  expect(alone.killed).toBeGreaterThan(2);
  expect(alone).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
  expect(alone.executions).toBeLessThanOrEqual(2 * rounds + 2 * alone.killed);

  const both = await survive({ kills: 2, seed: 5, start: onStore("both", () => `${server.url}#both`) });

  expect(both.asked).toBeLessThanOrEqual(2 * (rounds + 1 + both.killed));
  expect(both).toMatchObject({ tools: 4 * rounds, keys: 4 * rounds });
});

it("asks at most once more for each crash of the server", async () => {
  await using server = await Server.start(["fsync=off"]);
  const strike = async () => {
    await server.halt("immediate");
    await server.run();
  };

  const seen = await survive({ kills: 4, seed: 10, start: onStore("workflow", () => `${server.url}#crashes`), strike });

  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen.killed).toBeGreaterThan(2);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
});
