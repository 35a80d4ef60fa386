/** A pipeline whose process is killed again and again ends as one that nobody has disturbed. */

import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import { killedOrder } from "./support/killed-order.js";
import { keys } from "./support/orders.js";

const kills = casesOf(34);
const atLeast = casesOf(25);

it.each([
  { isNested: false, seed: 7, steps: keys.length },
  // In each round two steps more: the nested pipelines.
  { isNested: true, seed: 11, steps: keys.length + 4 },
])(
  `ends once and right after at least ${atLeast} kills, nested: $isNested, seed $seed`,
  { timeout: 600_000 },
  async (plan) => {
    const { isNested, seed, steps } = plan;
    const calm = await killedOrder({ kills: 0, seed, isNested });

    const killed = await killedOrder({ kills, seed, isNested });

    expect(killed.kills).toBeGreaterThanOrEqual(atLeast);
    expect(killed.output).toEqual(calm.output);
    expect(killed.state).toEqual(calm.state);
    expect(killed.output.events.filter(({ event }) => event === "StepCompleted")).toHaveLength(steps);
    expect(killed.runs).toBe(1);
    expect(killed.state.edits).toBe(keys.length);
    expect(Object.keys(killed.state.done).sort()).toEqual([...keys].sort());
    expect(killed.repeated).toEqual([]);
    expect([...new Set(killed.effects.map(({ key }) => key))].sort()).toEqual([...keys].sort());
    expect(calm.effects).toHaveLength(keys.length);
  },
);
