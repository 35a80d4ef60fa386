/** What moves with a run, and what the store that it left says of it. */

import { describe, expect, it } from "vitest";
import { memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { asked, codeOf, failure, left, open, partsOf, Said, say } from "../support/moved.js";

describe("a run that moved", () => {
  it("goes on where it was, with all that it was", async () => {
    const [source, target] = [open(), open()];
    await asked(source, 2, { labels: { of: "ann" } });
    await say(source, "one");
    await source.handle("run").idle();
    const before = await source.handle("run").summary();
    const history = await partsOf(source.history("run", { raw: true }));

    expect(await target.import(await partsOf(source.export("run")))).toEqual({ runId: "run", tenant: "", isNew: true });

    expect(await target.handle("run").summary()).toEqual(before);
    expect(await partsOf(target.history("run", { raw: true }))).toEqual(history);
    expect(await say(target, "two")).toBe("accepted");
    expect(await target.handle("run")).toBe("one two");
  });

  it("knows the keys of messages from before the move", async () => {
    const [source, target] = [open(), open()];
    await asked(source, 2);
    await say(source, "one", "first");

    await target.import(await partsOf(source.export("run")));
    const receipt = await target.handle("run").answer("any", { text: "again" }, { key: "first" });
    await say(target, "two", "second");

    expect(receipt.status).toBe("accepted");
    expect(await target.handle("run")).toBe("one two");
  });

  it("brings the messages that nobody has taken, each once", async () => {
    const from = await left();
    const asleep = open(from, { execute: false });
    const sent = asleep.handle("run").sendEvent(new Said({ text: "posted" }), { key: "k" });
    while ((await from.posts({ tenant: "", runId: "run" })).length === 0) await null;
    const exported = await partsOf(asleep.export("run"));
    expect(await codeOf(sent)).toBe("RUN_MOVED");

    const target = open();
    await target.import(exported);

    expect(exported.filter(({ type }) => type === "post")).toHaveLength(1);
    expect(await target.handle("run")).toBe("posted");
    expect((await target.handle("run").sendEvent(new Said({ text: "x" }), { key: "k" })).status).toBe("accepted");
  });

  it("does not mistake a message for one of the store that it left", async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    const [source, target] = [open(from), open(to)];
    await asked(source, 3);
    await asked(source, 3, { runId: "other" });
    for (const key of ["a", "b"]) await source.handle("other").sendEvent(new Said({ text: key }), { key });
    for (const text of ["one", "two"]) await say(source, text, text);
    const [, second] = await from.received({ tenant: "", runId: "run" }, { after: 0, limit: 9 });
    await target.import(await partsOf(source.export("run")));

    await say(target, "three", "three");

    const brought = await to.received({ tenant: "", runId: "run" }, { after: 0, limit: 9 });
    expect(brought.find(({ idempotencyKey }) => idempotencyKey === "three")?.position).toBe(second?.position);
    expect(await target.handle("run")).toBe("one two three");
  });

  it("has taken a message whose receipt was not stored yet: it is not delivered again", async () => {
    const from = memoryStore();
    const losing: RunStore = {
      ...from,
      commit: (commits) => from.commit(commits.map(({ receipts: _, ...commit }) => commit)),
    };
    const [source, target] = [open(losing), open()];
    await asked(source, 2);
    const [prompt] = await source.handle("run").prompts();
    const told = source.handle("run").answer(prompt?.promptId ?? "", { text: "one" }, { key: "one" });
    told.catch(() => {}); // looked at below
    await expect.poll(async () => (await source.handle("run").prompts())[0]?.promptId).not.toBe(prompt?.promptId);
    await source.stop();
    expect(await codeOf(told)).toBe("RUNTIME_STOPPED");
    const parts = await partsOf(open(from, { execute: false }).export("run"));

    await target.import(parts);

    expect(parts.filter(({ type }) => type === "post")).toHaveLength(1);
    expect((await target.handle("run").answer("any", { text: "no" }, { key: "one" })).status).toBe("accepted");
    await say(target, "two");
    expect(await target.handle("run")).toBe("one two");
  });

  it("may have ended: its result and its stream move", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    await say(source, "yes");
    await source.handle("run");

    await target.import(await partsOf(source.export("run")));

    expect(await target.handle("run")).toBe("yes");
    expect((await target.handle("run").streamEvents().toArray()).map(({ event }) => event.type)).toEqual(
      ["Ask", "millrace.stop"].map((type, index) => (index === 1 ? expect.any(String) : type)),
    );
  });

  it("may be cancelled, and resumes in the other store", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    await source.handle("run").cancel("later");

    await target.import(await partsOf(source.export("run")));
    await target.resume("run").idle();
    await say(target, "yes");

    expect(await target.handle("run")).toBe("yes");
  });

  it("may be yet to begin", async () => {
    const [source, target] = [open(), open()];
    const startAt = Date.now() + 3_600_000;
    await source.run("asks", {}, { runId: "run", startAt }).accepted;

    await target.import(await partsOf(source.export("run")));

    expect(await target.handle("run").summary()).toMatchObject({ status: "scheduled", wakeAtMs: startAt });
  });

  it("keeps its place among forks: origin and first state", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    await source.fork("run", { at: 1, runId: "fork" }).accepted;
    await source.handle("fork").idle();

    await target.import(await partsOf(source.export("fork")));

    expect((await target.handle("fork").summary()).forkedFrom).toEqual({ runId: "run", tick: 1 });
    expect((await partsOf(target.history("fork")))[0]?.["tick"]).toMatchObject({ type: "run.forked" });
  });

  it("moves with a trimmed history, and keeps the numbers of its ticks", async () => {
    const from = memoryStore();
    const [source, target] = [open(from, { snapshotEvery: 1, history: { keep: 2 } }), open()];
    await asked(source, 5);
    for (const text of ["a", "b", "c", "d"]) {
      await say(source, text);
      await source.handle("run").idle();
    }
    const kept = await from.ticks({ tenant: "", runId: "run" }, { after: 0, limit: 1 });

    await target.import(await partsOf(source.export("run")));
    await say(target, "e");

    expect(kept[0]?.first).toBeGreaterThan(1);
    expect(await target.handle("run")).toBe("a b c d e");
  });

  it("goes back to where it came from, once it was deleted there", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    await target.import(await partsOf(source.export("run")));
    await source.delete("run");

    await source.import(await partsOf(target.export("run")));
    await target.delete("run");
    await say(source, "home");

    expect(await source.handle("run")).toBe("home");
    expect(await codeOf(target.handle("run"))).toBe("RUN_UNKNOWN");
  });
});

it("moves whatever its names are", async () => {
  const [source, target] = [open(), open()];
  const labels = { toString: "__proto__" };
  const handle = source.run("asks", { times: 2 }, { runId: "__proto__", labels });
  await handle.idle();
  await handle.sendEvent(new Said({ text: "one" }), { key: "constructor" });
  await handle.idle();
  const record = { kind: "__proto__", id: "toString" };
  await source.records.write([{ ...record, expected: 0, value: "kept" }]);

  await target.import(await partsOf(source.export("__proto__", { records: [record] })));
  await target.handle("__proto__").sendEvent(new Said({ text: "two" }));

  expect(await target.handle("__proto__")).toBe("one two");
  expect(Object.entries((await target.handle("__proto__").summary()).labels)).toEqual([["toString", "__proto__"]]);
  expect((await target.records.read("__proto__", "toString"))?.value).toBe("kept");
});

describe("the records of a run that moved", () => {
  it("come with it: those that its start event names, and those that the caller names", async () => {
    const [source, target] = [open(), open()];
    await source.run("visits", {});
    await source.records.write([{ kind: "note", id: "n", expected: 0, value: new Map([["a", 1]]) }]);
    await asked(source);

    await target.import(await partsOf(source.export("run", { records: [{ kind: "note", id: "n" }] })));

    expect(await target.records.read("visits", "all")).toEqual({ version: 1, value: 1 });
    expect((await target.records.read("note", "n"))?.value).toEqual(new Map([["a", 1]]));
  });

  it("are refused where another is there, and nothing is stored; or stay as they are there", async () => {
    const [source, target] = [open(), open()];
    await source.run("visits", {});
    await asked(source);
    for (let n = 0; n < 2; n++) await target.run("visits", {});
    const parts = await partsOf(source.export("run"));

    expect(await codeOf(target.import(parts))).toBe("RECORD_CONFLICT");
    expect(await codeOf(target.handle("run").summary())).toBe("RUN_UNKNOWN");
    await target.import(parts, { records: "keep" });

    expect((await target.records.read("visits", "all"))?.value).toBe(2);
    expect((await target.handle("run").summary()).status).toBe("waiting");
  });

  it("may be there already, the same", async () => {
    const [source, target] = [open(), open()];
    for (const runtime of [source, target]) await runtime.run("visits", {});
    await asked(source);

    expect(await target.import(await partsOf(source.export("run")))).toMatchObject({ isNew: true });
  });
});

describe("the store that a run has left", () => {
  it("refuses all that would change it, and tells those who wait for it", async () => {
    const source = open();
    await asked(source);
    const waiting = [source.handle("run"), source.handle("run").streamEvents({ after: 0 }).toArray()].map(codeOf);
    await partsOf(source.export("run"));

    expect(await Promise.all(waiting)).toEqual(["RUN_MOVED", "RUN_MOVED"]);
    expect(await codeOf(source.handle("run").sendEvent(new Said({ text: "x" }), { key: "k" }))).toBe("RUN_MOVED");
    expect(await codeOf(say(source, "x"))).toBe("RUN_MOVED");
    expect(await codeOf(source.handle("run").cancel())).toBe("RUN_MOVED");
    expect(await codeOf(source.resume("run"))).toBe("RUN_MOVED");
    expect((await source.handle("run").summary()).status).toBe("waiting");
  });

  it("keeps it sealed for every other runtime, until it is released", async () => {
    const from = await left();
    const first = await partsOf(open(from).export("run"));
    const again = await partsOf(open(from).export("run"));
    const other = open(from);

    expect(await other.start()).toBe(0);
    expect(again).toEqual(first);
    await other.release("run");
    await say(other, "stays");

    expect(await other.handle("run")).toBe("stays");
  });

  it("says which of its runs are sealed", async () => {
    const source = open();
    for (const runId of ["run", "other"]) await asked(source, 1, { runId });
    await partsOf(source.export("run"));
    const sealed = async () => (await source.runs()).runs.map(({ runId, isSealed }) => [runId, isSealed]).sort();

    expect(await sealed()).toEqual([
      ["other", false],
      ["run", true],
    ]);
    expect((await source.handle("run").summary()).isSealed).toBe(true);
    await source.release("run");
    expect((await source.handle("run").summary()).isSealed).toBe(false);
  });

  it("lets it be deleted", async () => {
    const source = open();
    await asked(source);
    await partsOf(source.export("run"));

    await source.delete("run");

    expect(await codeOf(source.handle("run"))).toBe("RUN_UNKNOWN");
  });

  it("does not give a run that is at work, nor one that there is not", async () => {
    const source = open();
    await source.run("busy", {}, { runId: "busy" }).accepted;

    expect(await codeOf(partsOf(source.export("busy")))).toBe("RUN_LIVE");
    expect(await codeOf(partsOf(source.export("none")))).toBe("RUN_UNKNOWN");
    expect(await codeOf(source.release("none"))).toBe("RUN_UNKNOWN");
    await source.stop({ drainMs: 0 });
  });

  it("is not touched by a release of a run that was never exported", async () => {
    const source = open();
    await asked(source);

    await source.release("run");
    await say(source, "yes");

    expect(await source.handle("run")).toBe("yes");
  });
});

describe("an import", () => {
  it("counts once", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    const parts = await partsOf(source.export("run"));

    const results = await Promise.all([target.import(parts), target.import(parts), target.import(parts)]);

    expect(results.map(({ isNew }) => isNew).filter(Boolean)).toHaveLength(1);
    await say(target, "yes");
    expect(await target.import(parts)).toMatchObject({ isNew: false });
    expect(await target.handle("run")).toBe("yes");
  });

  it("does not replace another run", async () => {
    const [source, target] = [open(), open()];
    await asked(source);
    await asked(target, 2);

    expect(await codeOf(target.import(await partsOf(source.export("run"))))).toBe("RUN_ID_CONFLICT");
    expect(await codeOf(source.import(await partsOf(source.export("run"))))).toBe("RUN_ID_CONFLICT");
  });

  it("is of one tenant", async () => {
    const [source, target] = [open(), open()];
    await asked(source, 1, { tenant: "acme" }).catch(() => {});
    const parts = await partsOf(source.export("run", { tenant: "acme" }));

    expect((await failure(target.import(parts))).message).toContain('tenant "acme", not ""');
    expect(await target.import(parts, { tenant: "acme" })).toMatchObject({ tenant: "acme", isNew: true });
  });
});
