/** Kills the process of an agent again and again, at random moments: on SQLite. */
import { expect, it } from "vitest";
import { type Mode, rounds } from "../../support/agent-flows.js";
import { onStore, survive } from "../../support/survival.js";

const inFile = (mode: Mode) => onStore(mode, ({ log }) => `${log}.db`);

it("asks the model at most once more for each kill, and runs each tool under one key", async () => {
  const seen = await survive({ kills: 6, seed: 1, start: inFile("workflow") });

  expect(seen.result).toContain("I count 12. ");
  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen.killed).toBeGreaterThan(2);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
  expect(seen.executions).toBeLessThanOrEqual(2 * rounds + 2 * seen.killed);
});

it("does so for two agents in one step", async () => {
  const seen = await survive({ kills: 3, seed: 2, start: inFile("both") });

  expect(seen.asked).toBeLessThanOrEqual(2 * (rounds + 1 + seen.killed));
  expect(seen).toMatchObject({ tools: 4 * rounds, keys: 4 * rounds });
});

it("does so for a loop of the AI SDK whose model and tools are recorded", async () => {
  const seen = await survive({ kills: 4, seed: 3, start: inFile("own") });

  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
});
