import { addRuns, type Filled, filled } from "../filled.ts";
import { assertCount, compare, type Found, msOf } from "../measure.ts";

/** The same calls with 100,000 runs that wait and with 1,000. */
export async function stored(url: string): Promise<Found[]> {
  const sizes = [await filled(url), await filled(url)] as const;
  for (const [index, one] of sizes.entries()) {
    await addRuns(one, index === 0 ? 100_000 : 1_000, { dueMs: 1e14 });
    await addRuns(one, 100, { owner: "held" });
  }
  const page = { tenant: "acme", limit: 100 } as const;
  let turn = 0;
  const calls: { readonly [name: string]: (one: Filled) => Promise<unknown> } = {
    "first page of all": ({ store }) => store.list(page),
    "first page of those that wait": ({ store }) => store.list({ ...page, status: ["waiting"] }),
    "an empty round: `posts`, `claimDue`, `nextWakeAtMs`": async ({ store }) => {
      const nowMs = Date.now();
      await store.posts({ owner: "held" });
      assertCount("due", (await store.claimDue({ owner: "o", nowMs, untilMs: nowMs + 1, limit: 100 })).length, 0);
      await store.nextWakeAtMs();
    },
    "recovery: `claimDue` of 100 runs of a dead owner": async ({ store }) => {
      const nowMs = Date.now() + ++turn * 3_600_000;
      // The leases of whoever took them before have run out by then.
      const late = { owner: `next-${turn}`, nowMs: nowMs + 7_200_000, untilMs: nowMs + 7_200_001, limit: 100 };
      assertCount("recovered", (await store.claimDue(late)).length, 100);
    },
  };
  const found: Found[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const numbers = await compare(
      { reached: () => msOf(() => call(sizes[0])), base: () => msOf(() => call(sizes[1])) },
      7,
    );
    found.push({ name: `${name}, 100,000 stored over 1,000`, unit: "ms", ...numbers, budget: { atMost: 1.5 } });
  }
  for (const one of sizes) await one.close();
  return found;
}
