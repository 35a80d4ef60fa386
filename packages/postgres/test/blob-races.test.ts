import { setTimeout as sleep } from "node:timers/promises";
import type { RunCommit } from "millrace/runtime";
import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import { batchOf, creationOf, keyOf } from "./support/runs.js";
import { TestSchema } from "./support/stores.js";

const rounds = casesOf(100);

it("keeps a text that one run begins to name while the last other one ceases to, whichever comes first", async () => {
  await using schema = new TestSchema();
  const stores = [schema.open({ listen: false }), schema.open({ listen: false })] as const;
  const text = "a text that two runs name in turn";
  const hash = stores[0].hash(text);
  const names = ["a", "b"] as const;
  await stores[0].commit(names.map((name) => creationOf(name, name)));
  const commitOf = (at: number, more: Partial<RunCommit>): RunCommit => ({
    key: keyOf(names[at % 2] as string),
    owner: names[at % 2] as string,
    epoch: 1,
    ...more,
  });
  const naming = (round: number): RunCommit =>
    commitOf(round, { ticks: batchOf(Math.floor(round / 2) + 1, JSON.stringify(hash)), blobs: [{ hash, text }] });
  const ceasing = (round: number): RunCommit =>
    commitOf(round, { prune: { ticks: Math.floor(round / 2) + 1, snapshots: 0 } });
  const rowOf = async (): Promise<unknown> =>
    (await schema.query("SELECT xmin::text AS made FROM @blobs"))[0]?.["made"];
  await stores[0].commit([naming(0)]);
  let wentAndCame = 0;

  for (let round = 1; round <= rounds; round++) {
    const before = await rowOf();
    const store = (at: number) => stores[at % 2] as (typeof stores)[number];
    const [named] = await Promise.all([
      sleep(round % 3).then(() => store(round).commit([naming(round)])),
      sleep((round + 1) % 3).then(() => store(round + 1).commit([ceasing(round - 1)])),
    ]);

    expect(named).toEqual([{ status: "stored" }]);
    expect(await store(round).blob(hash), `round ${round}`).toBe(text);
    if ((await rowOf()) !== before) wentAndCame++;
  }

  // Both orders have occurred.
  expect(wentAndCame).toBeGreaterThan(0);
  expect(wentAndCame).toBeLessThan(rounds);
  await stores[0].commit([ceasing(rounds)]);
  expect(await stores[0].blob(hash)).toBeNull();
});
