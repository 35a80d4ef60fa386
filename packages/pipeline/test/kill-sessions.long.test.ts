/** One session, or one state, that many write to at once over a file: also when one of them is killed in between. */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { Parallel, Pipeline, Step, type StepFunction } from "../src/index.js";
import { Child } from "./support/child.js";
import { temporaryDirectory } from "./support/files.js";
import { type ShoppingState, sessionId, shopping } from "./support/shopping.js";
import type { ShoppingProcess } from "./support/shopping-process.js";

const timeout = 300_000;
const halves = ["a", "b"].map((half) => Array.from({ length: 100 }, (_, n) => `${half}${n}`));
const items = halves.flat().sort();

it("loses nothing of 200 runs at once on one session from two processes", { timeout }, async () => {
  const path = join(temporaryDirectory(), "runs.db");
  const processes = halves.map((half) => open({ path, items: half, death: null }));
  await Promise.all(processes.map(({ ready }) => ready));

  for (const child of processes) child.send("go");
  const endings = await Promise.all(processes.map(({ ended }) => ended));

  expect(endings.map(({ complaints }) => complaints)).toEqual(["", ""]);
  await expectAll(path);
});

it("loses nothing when one of two processes is killed in the middle of its runs", { timeout }, async () => {
  const path = join(temporaryDirectory(), "runs.db");
  const [first = [], second = []] = halves;
  const dying = open({ path, items: first, death: { at: "after commit", count: 20 } });
  const living = open({ path, items: second, death: null });
  await Promise.all([dying.ready, living.ready]);

  for (const child of [dying, living]) child.send("go");
  const { signal } = await dying.ended;
  const next = open({ path, items: first, death: null });
  next.send("go");
  const endings = await Promise.all([living.ended, next.ended]);

  expect(signal).toBe("SIGKILL");
  expect(endings.map(({ complaints }) => complaints)).toEqual(["", ""]);
  await expectAll(path);
});

it.each([1, 2, 3, 4, 5, 6])(
  "has a first run that was killed before commit %i once, with what it has changed once",
  { timeout },
  async (count) => {
    const path = join(temporaryDirectory(), "runs.db");
    const dying = open({ path, items: ["a"], death: { at: "before commit", count } });
    dying.send("go");
    const { signal } = await dying.ended;
    const next = open({ path, items: ["a"], death: null });
    next.send("go");
    const { complaints } = await next.ended;

    const pipeline = shopping(sqliteStore(path, { durability: "process" }));
    const session = await pipeline.sessions.get(sessionId);
    await pipeline.close();
    expect({ signal, complaints }).toEqual({ signal: "SIGKILL", complaints: "" });
    expect(session?.state).toEqual({ list: ["a"], edited: ["a"], n: 1, a: true });
    expect(session?.runs).toMatchObject([{ runId: "a", status: "COMPLETED" }]);
  },
);

it("counts every one of a thousand branches that edit one number, with an await inside", { timeout }, async () => {
  const store = sqliteStore(join(temporaryDirectory(), "runs.db"), { durability: "process" });
  const count: StepFunction = ({ input }, { editState }) =>
    editState(async (state) => {
      const before = state["count"] as number;
      await setImmediate();
      state["count"] = before + 1;
      return input;
    });
  const branches = Array.from({ length: 1_000 }, (_, n) => new Step({ name: `branch ${n}`, executor: count }));
  const steps = [new Parallel({ name: "all", steps: branches })];
  const pipeline = new Pipeline({ name: "counting", store, sessionState: { count: 0 }, steps });
  onTestFinished(() => pipeline.close());

  const { sessionState } = await pipeline.run("", { sessionId });

  expect(sessionState).toEqual({ count: 1_000 });
  expect(await pipeline.sessions.getSessionState(sessionId)).toEqual({ count: 1_000 });
});

function open(options: ShoppingProcess): Child {
  return new Child("shopping-process.ts", options);
}

async function expectAll(path: string): Promise<void> {
  const pipeline = shopping(sqliteStore(path, { durability: "process" }));
  try {
    const { state, runs } = (await pipeline.sessions.get(sessionId))!;
    const { list, n, edited, ...own } = state as unknown as ShoppingState;

    expect([...list].sort()).toEqual(items);
    expect([...edited].sort()).toEqual(items);
    expect(n).toBe(items.length);
    expect(own).toEqual(Object.fromEntries(items.map((item) => [item, true])));
    expect(runs.map(({ runId }) => runId).sort()).toEqual(items);
    expect(runs.every(({ status }) => status === "COMPLETED")).toBe(true);
  } finally {
    await pipeline.close();
  }
}
