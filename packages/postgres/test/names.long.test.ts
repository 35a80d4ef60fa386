import { describe, expect, it } from "vitest";
import { batchOf, creationOf, keyOf, leaseOf } from "./support/runs.js";
import { TestSchema } from "./support/stores.js";

let seed = 7;
/** The same in every run. */
const random = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};
/** A name that does not compress. */
const nameOf = (length: number, first: number, count: number): string =>
  String.fromCodePoint(...Array.from({ length }, () => first + Math.floor(random() * count)));
/** 255 bytes, which is the most. */
const longName = (): string => nameOf(85, 0x4e00, 20_000);

describe("names and texts", () => {
  it("of 255 random bytes are kept, found and listed", async () => {
    await using schema = new TestSchema();
    const store = schema.open();
    const [tenant, runId, workflow, owner, label, value] = Array.from({ length: 6 }, longName) as string[] as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const key = { tenant, runId };
    const creation = creationOf("x", owner);
    const create = { ...creation.create, workflow, labels: { [label]: value } } as typeof creation.create;
    const records = Array.from({ length: 30 }, () => ({
      tenant,
      kind: workflow,
      id: longName(),
      expected: 0,
      text: "1",
    }));

    await store.commit([{ ...creation, key, ...(create && { create }), records, ticks: batchOf(1) }]);
    const posted = await store.post(key, { idempotencyKey: value, atMs: 1, text: "1" });

    expect(posted).toMatchObject({ status: "stored" });
    expect(await store.post(key, { idempotencyKey: value, atMs: 1, text: "1" })).toMatchObject({ status: "duplicate" });
    expect((await store.list({ tenant, workflow, limit: 9 })).runs.map((run) => run.key)).toEqual([key]);
    expect((await store.list({ tenant, labels: { [label]: value }, limit: 9 })).runs).toHaveLength(1);
    expect(await store.renew(leaseOf(owner))).toEqual([key]);
    expect(await store.tenants()).toEqual([tenant]);
    const ids = [];
    for (let cursor: string | undefined; ; ) {
      const page = await store.records({
        tenant,
        kind: workflow,
        limit: 7,
        ...(cursor === undefined ? {} : { cursor }),
      });
      ids.push(...page.records.map(({ id }) => id));
      if (page.cursor === null) break;
      cursor = page.cursor;
    }
    expect(ids).toEqual(records.map(({ id }) => id).sort());
  });

  it("sort by code points, also ids that are alike for 240 bytes", async () => {
    await using schema = new TestSchema();
    const store = schema.open();
    const start = longName().slice(0, 80);
    const ids = [
      "\uffff",
      "\u{10000}",
      "\ue000",
      "a",
      "B",
      "é",
      "\u{1d11e}",
      "Z",
      "",
      `${start}a`,
      `${start}`,
      `${start}B`,
    ];
    await store.writeRecords(ids.map((id) => ({ tenant: "t", kind: "k", id, expected: 0, text: id })));

    const { records } = await store.records({ tenant: "t", kind: "k", limit: 100 });
    const some = await store.records({ tenant: "t", kind: "k", prefix: start, limit: 100 });

    expect(records.map(({ id }) => id)).toEqual(
      [...ids].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
    );
    expect(some.records.map(({ id }) => id)).toEqual([start, `${start}B`, `${start}a`]);
  });

  it("that PostgreSQL cannot keep are refused with a code, and with nothing else", async () => {
    await using schema = new TestSchema();
    const store = schema.open();
    await store.commit([creationOf("run", "ann")]);
    const refused = { code: "OPTION_INVALID" };
    const creation = creationOf("new", null);

    for (const bad of ["a\0b", "\0"]) {
      await expect(store.commit([creation, { ...creation, key: keyOf(bad) }])).rejects.toMatchObject(refused);
      await expect(store.commit([{ ...creation, key: keyOf("new", bad) }])).rejects.toMatchObject(refused);
      await expect(store.claim(keyOf("run"), leaseOf(bad))).rejects.toMatchObject(refused);
      await expect(store.post(keyOf("run"), { idempotencyKey: bad, atMs: 1, text: "1" })).rejects.toMatchObject(
        refused,
      );
      await expect(
        store.writeRecords([{ tenant: "t", kind: "k", id: bad, expected: 0, text: "1" }]),
      ).rejects.toMatchObject(refused);
      const create = { ...creation.create, labels: { [bad]: "x" } } as NonNullable<typeof creation.create>;
      await expect(store.commit([{ ...creation, create }])).rejects.toMatchObject(refused);
    }
    await expect(
      store.commit([{ key: keyOf("run"), owner: "ann", epoch: 1, ticks: batchOf(1, '"\0"') }]),
    ).rejects.toMatchObject(refused);
    await expect(store.post(keyOf("run"), { idempotencyKey: null, atMs: 1, text: "\0" })).rejects.toMatchObject(
      refused,
    );
    await expect(store.list({ tenant: "acme", workflow: "\0", limit: 9 })).rejects.toMatchObject(refused);

    expect(await store.run(keyOf("a\0b"))).toBeNull();
    expect(await store.run(keyOf("new"))).toBeNull();
    expect((await store.run(keyOf("run")))?.ticks).toBe(0);
    expect(await store.posts(keyOf("run"))).toEqual([]);
  });

  it("in array parameters come back to the letter", async () => {
    await using schema = new TestSchema();
    const store = schema.open();
    const odd = ["NULL", "null", "", "{}", '"', "\\", '\\"', ",", " x ", "{a,b}", "\n\r\t", "$1", "@runs", "'"];
    await store.commit(odd.map((text, index) => creationOf(`${index}${text}`, "ann", { input: text })));

    await store.commit(
      odd.map((text, index) => ({
        key: keyOf(`${index}${text}`),
        owner: "ann",
        epoch: 1,
        ticks: batchOf(1, text),
        events: [{ sequence: 0, atMs: 1, text }],
      })),
    );

    for (const [index, text] of odd.entries()) {
      const key = keyOf(`${index}${text}`);
      expect(await store.run(key)).toMatchObject({ key, input: text, ticks: 1 });
      expect((await store.ticks(key, { after: 0, limit: 9 })).map((batch) => batch.text)).toEqual([text]);
      expect((await store.events(key, { after: -1, limit: 9 })).map((event) => event.text)).toEqual([text]);
    }
  });

  it("of a hundred megabytes are kept", { timeout: 240_000 }, async () => {
    await using schema = new TestSchema();
    const store = schema.open();
    const long = `"${'ü\\"x'.repeat(20_000_000)}"`; // 100 million bytes
    await store.commit([creationOf("run", "ann")]);

    const summary = { status: "completed", atMs: 1, wakeAtMs: null, outcome: long, waiting: null } as const;
    await store.commit([{ key: keyOf("run"), owner: "ann", epoch: 1, ticks: batchOf(1, long), summary }]);

    expect((await store.ticks(keyOf("run"), { after: 0, limit: 9 }))[0]?.text === long).toBe(true);
    expect((await store.run(keyOf("run")))?.outcome === long).toBe(true);
  });
});
