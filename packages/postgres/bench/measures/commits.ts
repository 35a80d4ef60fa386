import { addRuns, filled, key, owner, text } from "../filled.ts";
import { assertCount, compare, type Found, rateOf } from "../measure.ts";

const groupSize = 50;

/** One group after the other, over all runs; the store knows them because it has claimed them. */
export async function commits(url: string): Promise<Found[]> {
  const runs = 2_000;
  const [ours, bare] = [await filled(url), await filled(url)];
  for (const one of [ours, bare]) await addRuns(one, runs, { owner });
  for (let number = 1; number <= runs; number++)
    await ours.store.claim(key(number), { owner, nowMs: Date.now(), untilMs: Date.now() + 3_600_000 });
  const locked = `WITH input AS (SELECT * FROM unnest($1::bigint[],$2::bigint[],$3::bigint[],$4::bigint[],$5::bigint[],$6::bigint[],$7::text[]) AS i(run,owner,epoch,first,last,at_ms,text)),
    locked AS MATERIALIZED (SELECT r.id, r.owner, r.epoch, r.ticks FROM runs r WHERE r.id = ANY($1::bigint[]) ORDER BY r.id FOR NO KEY UPDATE),
    moved AS (UPDATE runs r SET ticks = i.last, updated_at = greatest(r.updated_at, i.at_ms) FROM input i JOIN locked l ON l.id = i.run AND l.owner = i.owner AND l.epoch = i.epoch AND l.ticks = i.first - 1 WHERE r.id = l.id RETURNING r.id, i.first, i.last, i.at_ms, i.text),
    added AS (INSERT INTO ticks (run, last, first, at_ms, text) SELECT id, last, first, at_ms, text FROM moved) SELECT id FROM moved`;
  const ids = (await bare.bare.query("SELECT id, owner FROM runs ORDER BY created_at")).rows;
  const ticks = { ours: new Int32Array(runs + 1), bare: new Int32Array(runs + 1) };
  const turns = { ours: 0, bare: 0 };
  const group = (of: "ours" | "bare"): number[] => {
    const start = (turns[of]++ * groupSize) % runs;
    return Array.from({ length: groupSize }, (_, index) => start + index + 1);
  };
  const reached = (): Promise<number> =>
    rateOf(async () => {
      const asked = group("ours").map((number) => {
        const tick = (ticks.ours[number] = (ticks.ours[number] ?? 0) + 1);
        return { key: key(number), owner, epoch: 2, ticks: { first: tick, last: tick, atMs: 1, text } };
      });
      const results = await ours.store.commit(asked);
      assertCount("stored", results.filter(({ status }) => status === "stored").length, groupSize);
      return groupSize;
    }, 1);
  const base = (): Promise<number> =>
    rateOf(async () => {
      const numbers = group("bare");
      const next = numbers.map((number) => (ticks.bare[number] = (ticks.bare[number] ?? 0) + 1));
      const row = (number: number) => ids[number - 1];
      const values = [
        numbers.map((number) => row(number).id),
        numbers.map((number) => row(number).owner),
        numbers.map(() => 1),
        next,
        next,
        numbers.map(() => 1),
        numbers.map(() => text),
      ];
      assertCount("moved", (await bare.bare.query({ name: "locked", text: locked, values })).rows.length, groupSize);
      return groupSize;
    }, 1);
  const found = await compare({ reached, base }, 9);
  for (const one of [ours, bare]) await one.close();
  return [
    { name: "`commit` of 50 runs, over the bare statement", unit: "ticks/s", ...found, budget: { atLeast: 0.7 } },
  ];
}
