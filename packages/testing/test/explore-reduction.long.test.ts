/** The reduction of equal orders loses none: every order of the planted races, played without it, ends like one that is played. */

import type { Workflow } from "millrace";
import { expect, it } from "vitest";
import { searchOrders } from "../src/explore/orders.js";
import { play } from "../src/explore/play.js";
import type { Possible } from "../src/explore/play.types.js";
import { removeHarness } from "../src/harness/harness.js";
import { exploreRuns } from "../src/index.js";
import { type Case, parallel, races, right } from "./planted-races.js";

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

// tokio-rs/loom#166
it("finds the same endings when a step reads once more than it needs", async () => {
  const writing = (readsMore: boolean) =>
    parallel(async (n, { store }) => {
      if (n === 0) {
        await store.set("user.age", 1);
        await store.set("count", 1);
        await store.set("count", 0);
        if (readsMore) await store.get("user.age");
        await store.set("user.age", 0);
      } else {
        const [count, age] = [await store.get("count"), await store.get("user.age")];
        await store.set("names", [count, age]);
      }
    });
  const [few, more] = [await explored(writing(false)), await explored(writing(true))];
  expect(more.endings.map(seen).sort()).toEqual(few.endings.map(seen).sort());
  expect(few.endings.map(seen).sort()).toEqual(["0,0", "0,1", "1,0", "1,1"]);
});

// bblum/landslide#4
it("plays no order twice that is equal to another", async () => {
  const apart = parallel(
    async (n, { store }) => {
      if (n === 0) await store.set("count", 1);
      else if (n === 1) await store.set("user.name", "Ada");
      else await store.set("user.age", 36);
    },
    { count: 3 },
  );
  expect((await explored(apart)).orders).toBe(1);
  const factorial = parallel((n, { store }) => store.set("count", n), { count: 4 });
  const { orders, endings } = await explored(factorial);
  expect([orders, endings.length]).toEqual([24, 4]);
});

const explored = (workflow: Workflow) => exploreRuns(workflow, {}, { crashes: false });
const seen = ({ state }: { readonly state: unknown }) => (state as { names: number[] }).names.join();
