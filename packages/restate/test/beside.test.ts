/** What is decided in the store beside Restate, without a Restate: who comes late, and what cannot be taken. */
import { memoryStore, type NewRunRecord, type RecordWrite } from "millrace/runtime";
import { expect, it, onTestFinished, vi } from "vitest";
import { Starts } from "../src/client/starts.js";
import { HostRecords } from "../src/host/records.js";

const run = { tenant: "", runId: "run" };
const counter = { tenant: "", kind: "counter", id: "one" };

const counted = (expected: number): RecordWrite[] => [{ ...counter, expected, text: String(expected + 1) }];

it("decides a proposal once, and one of an attempt that is long over not at all", async () => {
  const store = memoryStore();
  const records = new HostRecords(store);

  const first = await records.propose(run, {}, counted(0));
  expect(await records.decide(run, first)).toEqual([]);
  const refused = await records.propose(run, {}, counted(0));
  expect(await records.decide(run, refused)).toEqual([counter]);
  const second = await records.propose(run, {}, counted(1));
  expect(await records.decide(run, second)).toEqual([]);

  expect(await records.decide(run, second)).toEqual([]);
  expect(await records.decide(run, refused)).not.toEqual([]);
  expect(await records.decide(run, first)).not.toEqual([]);
  expect(await store.record(counter)).toEqual({ version: 2, text: "2" });
  expect(await records.decide(run, second)).toEqual([]);
});

const record: NewRunRecord = {
  workflow: "flow",
  input: "{}",
  code: "",
  createdAtMs: 0,
  startAtMs: 0,
  labels: {},
  forkedFrom: null,
  queue: null,
};

it("makes the starts that others have left, whatever becomes of one of them", async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const store = memoryStore();
  const gone = new Starts(store, () => Promise.reject(new Error("The network is gone.")));
  const ids = ["one", "two", "three"];
  for (const runId of ids) expect(await gone.begin({ tenant: "", runId }, record, [])).toEqual({ status: "stored" });
  const started: string[] = [];
  const here = new Starts(store, async ({ runId }) => {
    if (runId === "two") throw new Error("It is too large.");
    started.push(runId);
    return { status: "stored" };
  });

  await here.finish();
  expect(started).toEqual([]);
  vi.setSystemTime(here.nextAtMs ?? 0);
  await expect(here.finish()).rejects.toThrow("It is too large.");

  expect(started.sort()).toEqual(["one", "three"]);
  expect(await here.find({ tenant: "", runId: "one" })).toBeNull();
  expect(await here.find({ tenant: "", runId: "two" })).toMatchObject({ status: "running", ticks: 0 });
});

it("makes every start that is left, also behind many that cannot be taken, and ten of them at once", async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const store = memoryStore();
  const gone = new Starts(store, () => Promise.reject(new Error("The network is gone.")));
  const ids = Array.from({ length: 350 }, (_, index) => `run-${index}`);
  for (const runId of ids) await gone.begin({ tenant: "", runId }, record, []);
  const listed = (await store.records({ tenant: "", kind: "millrace:starting", limit: 1_000 })).records;
  const inOrder = listed.map(({ text }) => (JSON.parse(text) as { key: { runId: string } }).key.runId);
  const poisoned = new Set(inOrder.slice(0, 150));
  const started: string[] = [];
  const known = { atWork: 0, most: 0 };
  const here = new Starts(store, async ({ runId }) => {
    known.most = Math.max(known.most, ++known.atWork);
    await Promise.resolve();
    known.atWork--;
    if (poisoned.has(runId)) throw new Error("It is too large.");
    started.push(runId);
    return { status: "stored" };
  });

  vi.setSystemTime(10_000);
  await expect(here.finish()).rejects.toThrow("It is too large.");

  expect(started.sort()).toEqual(inOrder.slice(150).sort());
  expect(known.most).toBe(10);
  expect((await store.records({ tenant: "", kind: "millrace:starting", limit: 1_000 })).records).toHaveLength(150);
});
