import { expect, it } from "vitest";
import { Cable } from "./support/cable.js";
import { batchOf, creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

const lanes = async (schema: TestSchema): Promise<number> => (await schema.query("SELECT 1 FROM @lanes")).length;

it("is one for all transactions of a store that follow each other, also where the server refuses them", async () => {
  await using schema = new TestSchema();
  const [loser, winner] = [schema.open({ listen: false }), schema.open({ listen: false })];
  const names = Array.from({ length: 20 }, (_, index) => `${index}`);
  await loser.commit(names.map((name) => creationOf(name, "loser")));
  const later = leaseOf("winner", Date.now() + 3_600_000);
  for (const name of names) await winner.claim(keyOf(name), later);

  // What the loser remembers of each run is no longer so: the server fails that transaction, and the next one reads first.
  for (const name of names) expect(await loser.commit([tickOf(name, "loser", 1)])).toEqual([{ status: "fenced" }]);

  expect(await lanes(schema)).toBe(2);
});

it("is used again after its connection was lost", async () => {
  await using schema = new TestSchema();
  await using cable = await Cable.open(databaseUrl);
  const store = schema.open({ connectionString: cable.urlOf(databaseUrl), listen: false, maxConnections: 1 });
  await store.commit([creationOf("run", "ann")]);

  for (let tick = 1; tick <= 6; tick++) {
    const text = `"text of ${tick}"`;
    cable.dieAtCommitOf(Buffer.from(`text of ${tick}`));
    const stored = store.commit([{ ...tickOf("run", "ann", tick), ticks: batchOf(tick, text) }]);
    await expect.poll(() => cable.cuts).toBe(tick);
    cable.mend();
    expect(await stored).toEqual([{ status: "stored" }]);
  }

  expect(await lanes(schema)).toBeLessThanOrEqual(2);
});

it("whose row is gone is replaced", async () => {
  await using schema = new TestSchema();
  const store = schema.open({ listen: false, maxConnections: 1 });
  await store.commit([creationOf("run", "ann")]);
  await schema.query("DELETE FROM @lanes");

  expect(await store.commit([tickOf("run", "ann", 1)])).toEqual([{ status: "stored" }]);

  expect(await lanes(schema)).toBe(1);
});
