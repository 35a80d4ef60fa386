/** A pipeline whose process is killed again and again ends as one that nobody has disturbed. */
import { expect, it } from "vitest";
import { killedOrder } from "./support/killed-order.js";
import { keys } from "./support/orders.js";

const kills = 34;
const seed = 7;

it(`ends once and right after at least 25 kills, seed ${seed}`, { timeout: 120_000 }, async () => {
  const calm = await killedOrder({ kills: 0, seed });

  const killed = await killedOrder({ kills, seed });

  expect(killed.kills).toBeGreaterThanOrEqual(25);
  expect(killed.output).toEqual(calm.output);
  expect(killed.state).toEqual(calm.state);
  expect(killed.output.events.filter(({ event }) => event === "StepCompleted")).toHaveLength(keys.length);
  expect(killed.runs).toBe(1);
  expect(killed.state.edits).toBe(keys.length);
  expect(Object.keys(killed.state.done).sort()).toEqual([...keys].sort());
  expect(killed.repeated).toEqual([]);
  expect([...new Set(killed.effects.map(({ key }) => key))].sort()).toEqual([...keys].sort());
  expect(calm.effects).toHaveLength(keys.length);
});
