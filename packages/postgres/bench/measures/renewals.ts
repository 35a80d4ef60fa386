import { addRuns, filled, owner } from "../filled.ts";
import { assertCount, compare, type Found, msOf } from "../measure.ts";

export async function renewals(url: string): Promise<Found[]> {
  const ours = await filled(url);
  await addRuns(ours, 10_000, { owner });
  const read = `SELECT t.name, r.run_id FROM runs r JOIN tenants t ON t.id = r.tenant WHERE r.owner = (SELECT id FROM owners WHERE name = $1)`;
  const reached = (): Promise<number> =>
    msOf(async () => {
      const nowMs = Date.now();
      assertCount("renewed", (await ours.store.renew({ owner, nowMs, untilMs: nowMs + 30_000 })).length, 10_000);
    });
  const base = (): Promise<number> =>
    msOf(async () => void (await ours.bare.query({ name: "r", text: read, values: [owner] })));
  const found = await compare({ reached, base }, 7);
  await ours.close();
  return [{ name: "`renew` of 10,000 runs, over reading their keys", unit: "ms", ...found, budget: { atMost: 3 } }];
}
