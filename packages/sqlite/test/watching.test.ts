import type { RunKey } from "millrace/runtime";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SqliteDatabase } from "../src/index.js";
import { openRaw, openStore, temporaryFile } from "./files.js";
import { creationOf, keyOf, ticksOf } from "./runs.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

it("tells a listener once of each run that a group of commits changed, and of no refused one", async () => {
  const store = openStore(temporaryFile());
  await store.commit([creationOf("first", "ann"), creationOf("second", "ann")]);
  const heard: (RunKey | null)[] = [];
  store.watch((key) => heard.push(key));
  const held = { owner: "ann", epoch: 1 };

  await store.commit([
    { key: keyOf("first"), ...held, ticks: ticksOf(1) },
    { key: keyOf("first"), ...held, ticks: ticksOf(2) },
    { key: keyOf("second"), ...held, epoch: 7, ticks: ticksOf(1) },
  ]);
  await Promise.resolve();

  expect(heard).toEqual([keyOf("first")]);
});

it("looks for commits of others only while somebody listens", () => {
  let looks = 0;
  const open = (path: string): SqliteDatabase => {
    const raw = openRaw(path);
    return { exec: (sql) => raw.exec(sql), prepare: (sql) => counted(raw, sql), close: () => raw.close() };
  };
  const counted = (raw: SqliteDatabase, sql: string) => {
    const statement = raw.prepare(sql);
    const get = (...values: never[]): unknown => {
      if (sql === "PRAGMA data_version") looks += 1;
      return statement.get(...values);
    };
    return { run: statement.run.bind(statement), all: statement.all.bind(statement), get };
  };
  const store = openStore(temporaryFile(), { driver: { open }, pollMs: 100 });

  vi.advanceTimersByTime(1_000);
  const before = looks;
  const stop = store.watch(() => {});
  vi.advanceTimersByTime(1_000);
  const during = looks;
  stop();
  vi.advanceTimersByTime(1_000);

  expect({ before, during, after: looks }).toEqual({ before: 0, during: 11, after: 11 });
});

it("tells a listener when another connection has committed, and only then", async () => {
  const path = temporaryFile();
  const [store, other] = [openStore(path), openStore(path)];
  const heard: (RunKey | null)[] = [];
  store.watch((key) => heard.push(key));

  vi.advanceTimersByTime(1_000);
  await Promise.resolve();
  const before = [...heard];
  await other.commit([creationOf("run", null)]);
  vi.advanceTimersByTime(1_000);
  await Promise.resolve();

  expect(before).toEqual([]);
  expect(heard).toEqual([null]);
});

it("tells nobody of claims that find nothing, with queues and without, nor of renewals of nothing", async () => {
  const path = temporaryFile();
  const [store, other] = [openStore(path), openStore(path)];
  const queues = [{ name: "mail", concurrency: 2, perKey: 1, rate: { limit: 10, perMs: 60_000 } }];
  const lease = { owner: "ann", nowMs: 1_000, untilMs: 60_000, limit: 10 };
  const ask = async () => {
    expect(await other.claimDue({ ...lease, queues })).toEqual([]);
    expect(await other.claimDue(lease)).toEqual([]);
    await other.nextWakeAtMs({ queues });
    await other.renew(lease);
  };
  await ask();
  const heard: (RunKey | null)[] = [];
  store.watch((key) => heard.push(key));

  for (let round = 0; round < 3; round++) await ask();
  vi.advanceTimersByTime(1_000);
  await Promise.resolve();

  expect(heard).toEqual([]);
});
