/** Records from outside of runs. */
import { describe, expect, it } from "vitest";
import { counting } from "../support/counters.js";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";

describe("runtime.records", () => {
  it("writes all or none, and says which conflict", async () => {
    const { runtime } = new Machine().open({ counting });
    await runtime.records.write([{ kind: "note", id: "one", expected: 0, value: 1 }]);

    const error = await rejection(
      runtime.records.write([
        { kind: "note", id: "one", expected: 0, value: 2 },
        { kind: "note", id: "two", expected: 0, value: 2 },
      ]),
    );

    expect(error).toMatchObject({ code: "RECORD_CONFLICT", details: { records: [{ kind: "note", id: "one" }] } });
    expect(await runtime.records.read("note", "two")).toBeNull();
  });

  it("lists by prefix, in pages, for one tenant", async () => {
    const { runtime } = new Machine().open({ counting });
    const edits = ["b/2", "a", "b/1", "b/3", "c"].map((id) => ({ kind: "note", id, expected: 0, value: id }));
    await runtime.records.write(edits);
    await runtime.records.write([{ kind: "note", id: "b/0", tenant: "other", expected: 0, value: null }]);

    const first = await runtime.records.list({ kind: "note", prefix: "b/", limit: 2 });
    const second = await runtime.records.list({ kind: "note", prefix: "b/", limit: 2, cursor: first.cursor as string });

    expect(first.records).toEqual([
      { id: "b/1", version: 1, value: "b/1" },
      { id: "b/2", version: 1, value: "b/2" },
    ]);
    expect(second).toEqual({ records: [{ id: "b/3", version: 1, value: "b/3" }], cursor: null });
    expect((await rejection(runtime.records.list({ kind: "note", limit: 0 }))).code).toBe("OPTION_INVALID");
  });

  it("updates by a function, again when another writer was faster", async () => {
    const machine = new Machine();
    const { records } = machine.open({ counting }).runtime;
    const other = machine.open({ counting }).runtime.records;
    const add = (current: number | undefined): number => (current ?? 0) + 1;
    const one = { kind: "note", id: "one", tenant: "acme" };

    await Promise.all(Array.from({ length: 10 }, (_, turn) => (turn % 2 ? records : other).update(one, add)));

    expect(await records.read("note", "one", { tenant: "acme" })).toEqual({ version: 10, value: 10 });
    expect(await records.update(one, () => undefined)).toBeUndefined();
    expect(await records.read("note", "one", { tenant: "acme" })).toBeNull();
    const wrong = records.update(one, (async () => 1) as never);
    expect(await rejection(wrong)).toMatchObject({ code: "OPTION_INVALID", details: { option: "change" } });
  });

  it("deletes", async () => {
    const { runtime } = new Machine().open({ counting });
    await runtime.records.write([{ kind: "note", id: "one", expected: 0, value: 1 }]);

    await runtime.records.write([{ kind: "note", id: "one", expected: 1, delete: true }]);

    expect(await runtime.records.read("note", "one")).toBeNull();
  });

  it("refuses names that no store keeps, and a runtime that has stopped", async () => {
    const { runtime } = new Machine().open({ counting });

    expect((await rejection(runtime.records.read("note", "a\0b"))).code).toBe("OPTION_INVALID");
    await runtime.stop();
    expect((await rejection(runtime.records.read("note", "one"))).code).toBe("RUNTIME_STOPPED");
  });

  it("leaves the records of the runtime alone", async () => {
    const { runtime } = new Machine().open({ counting });
    const kind = "millrace:due";
    const calls = [
      () => runtime.records.read(kind, "one"),
      () => runtime.records.list({ kind }),
      () => runtime.records.update({ kind, id: "one" }, () => 1),
      () => runtime.records.write([{ kind, id: "one", expected: 0, value: 1 }]),
    ];
    for (const call of calls)
      expect(await rejection(call() as Promise<unknown>)).toMatchObject({
        code: "OPTION_INVALID",
        message: expect.stringContaining('`kind` must not begin with "millrace:"'),
      });
  });
});
