/** The reduction of equal orders loses none: every order of the planted races, played without it, ends like one that is played. */
import { expect, it } from "vitest";
import { searchOrders } from "../src/explore/orders.js";
import { play } from "../src/explore/play.js";
import type { Possible } from "../src/explore/play.types.js";
import { removeHarness } from "../src/harness/harness.js";
import { exploreRuns } from "../src/index.js";
import { type Case, races, right } from "./planted-races.js";

/** Every order, equal ones too: each part touches what all others touch. */
async function endingsOfAll(make: Case[1], options: object): Promise<{ texts: Set<string>; orders: number }> {
  const texts = new Set<string>();
  const all = { reads: [], writes: ["state:"] };
  const touching = <Part extends Possible>(part: Part): Part => ({ ...part, access: all });
  const { orders } = await searchOrders({
    play: async (choose) => {
      const workflow = make();
      const setup = { workflow, input: {}, observe: undefined, resources: undefined, timeoutTurns: 100, ...options };
      const played = await play(setup, (possible, depth, last) => choose(possible, depth, last && touching(last)));
      await removeHarness(workflow);
      return { ...played, happened: played.happened.map(touching), left: played.left.map(touching) };
    },
    found: ({ text }) => {
      texts.add(text);
      return false;
    },
    depth: 1_000,
    orders: 3_000,
  });
  return { texts, orders };
}

it.for([...races, ...right])("loses no ending: %s", async ([, make, , options = {}]) => {
  const { texts, orders } = await endingsOfAll(make, options);
  const reduced = await exploreRuns(make(), {}, { crashes: false, ...options });
  expect(reduced.endings).toHaveLength(texts.size);
  expect(reduced.orders).toBeLessThanOrEqual(orders);
});
