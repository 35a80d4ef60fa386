import { describe, expect, it } from "vitest";
import { attempt, entry } from "../../test/support/ticks.js";
import { everything, LogRows } from "./log-rows.js";
import { marksOf } from "./marks.js";
import { RunStore } from "./run-store.js";

function store(): { store: RunStore; flush: () => void } {
  const waiting: (() => void)[] = [];
  const made = new RunStore({ runId: "r", schedule: (notify) => void waiting.push(notify) });
  return { store: made, flush: () => waiting.splice(0).map((notify) => notify()) };
}

const failure = { step: "load", item: 1, error: { message: "no" }, retryAtMs: null };
const question = { step: "ask", item: 2, prompt: { type: "Ask" } };

function ticks(count: number, from = 1) {
  return Array.from({ length: count }, (_, index) => entry(from + index, "effect.recorded", { step: "a", item: 1 }));
}

describe("RunStore", () => {
  it("follows the newest tick, and stays where it was put", () => {
    const { store: run } = store();
    run.append(ticks(3));
    expect([run.tick, run.isLive]).toEqual([3, true]);

    run.append(ticks(2, 4));
    expect([run.tick, run.isLive]).toEqual([5, true]);

    run.goTo(4);
    run.append(ticks(5, 6));
    expect([run.tick, run.isLive]).toEqual([4, false]);

    run.goTo(99);
    expect([run.tick, run.isLive]).toEqual([10, true]);
  });

  it("says what a call is labelled, however its ticks come in", () => {
    const { store: run } = store();
    const call = { step: "pay", item: 1, call: "run=charge" };
    run.append([entry(1, "effect.opened", { ...call, label: "Charge the card" })]);
    run.append([entry(2, "effect.recorded", call)]);

    expect(run.lineAt(1).text).toBe("pay did “Charge the card” once");
  });

  it("stays at the newest tick for as long as it is held there", () => {
    const { store: run } = store();
    run.append(ticks(3));

    run.hold();
    run.append(ticks(2, 4));
    expect([run.tick, run.isLive]).toEqual([3, false]);

    run.release();
    expect([run.tick, run.isLive]).toEqual([5, true]);

    run.goTo(2);
    run.hold();
    run.append(ticks(1, 6));
    run.release();
    expect([run.tick, run.isLive]).toEqual([2, false]);
  });

  it("keeps the cursor inside a history whose first ticks are gone", () => {
    const { store: run } = store();
    run.append(ticks(5, 40));

    run.goTo(1);

    expect([run.tick, run.first, run.last]).toEqual([40, 40, 44]);
  });

  it("ignores ticks that a stream repeats after it was cut", () => {
    const { store: run } = store();
    run.append(ticks(4));
    run.append(ticks(4, 3));

    expect(run.entries.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("notifies listeners once for all that came in a frame", () => {
    const { store: run, flush } = store();
    let calls = 0;
    run.version.subscribe(() => calls++);

    run.append(ticks(1));
    run.append(ticks(1, 2));
    run.goTo(1);
    expect([calls, run.version.get()]).toEqual([0, 0]);
    flush();

    expect([calls, run.version.get()]).toEqual([1, 1]);
  });

  it("goes from stop to stop: failures and questions", () => {
    const { store: run } = store();
    run.append([...ticks(2), entry(3, "step.failed", failure), ...ticks(1, 4), entry(5, "wait.opened", question)]);
    run.append(ticks(1, 6));

    run.goTo(1);
    expect([run.nextStop(1), run.nextStop(-1)]).toEqual([3, null]);
    run.goTo(3);
    expect([run.nextStop(1), run.nextStop(-1)]).toEqual([5, null]);
    run.goTo(6);
    expect([run.nextStop(1), run.nextStop(-1)]).toEqual([null, 5]);
  });

  it("reads each tick once, however often more come", () => {
    const { store: run } = store();
    run.append(ticks(1000));
    const rows = new LogRows(run, everything).update();
    const before = run.lineAt(999);

    run.append(ticks(1, 1001));
    rows.update();

    expect(rows.rows).toHaveLength(1001);
    expect(run.lineAt(999)).toBe(before);
  });

  it("replaces an attempt that is reported again, and reads on from the first that is open", () => {
    const { store: run } = store();
    run.putAttempts([attempt("a", 1), attempt("b", 5, { status: "running", endedAtMs: null, endedTick: null })]);
    const before = run.attempts.list;
    expect(run.attempts.readFrom).toBe(4);

    run.putAttempts([attempt("a", 1)]);
    expect(run.attempts.list).toBe(before);

    run.putAttempts([attempt("b", 5)]);
    expect(run.attempts.list.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(run.attempts.readFrom).toBe(4);
  });

  it("shows the state between two answers of the server, forward and back", () => {
    const { store: run } = store();
    run.append([
      entry(1, "run.started"),
      entry(2, "state.edited", { changes: [{ path: ["n"], new: 1 }] }),
      entry(3, "state.edited", {
        changes: [
          { path: ["n"], old: 1, new: 2 },
          { path: ["list", 0], new: "x" },
        ],
      }),
      entry(4, "state.edited", { runId: "r/2", changes: [{ path: ["n"], old: 0, new: 9 }] }),
      entry(5, "state.edited", { changes: [{ path: ["n"], old: 2 }] }),
    ]);
    run.putMoment({
      number: 2,
      atMs: 0,
      status: "running",
      isWaiting: false,
      state: { n: 1, list: [] },
      steps: [],
      prompts: [],
      next: [],
      closed: [],
      input: null,
    });

    expect(run.stateAt(2)).toEqual({ n: 1, list: [] });
    expect(run.stateAt(1)).toEqual({ list: [] });
    expect(run.stateAt(4)).toEqual({ n: 2, list: ["x"] });
    expect(run.stateAt(5)).toEqual({ list: ["x"] });
  });

  it("has no state before the server has sent one", () => {
    const { store: run } = store();
    run.append(ticks(2));

    expect(run.stateAt(2)).toBeUndefined();
  });
});

describe("LogRows", () => {
  const history = [
    entry(1, "run.started", { event: { type: "Claim" } }),
    entry(2, "state.edited", { step: "load", item: 1 }),
    entry(3, "step.failed", { ...failure, error: { message: "out of paper" } }),
    entry(4, "run.idled"),
    entry(5, "step.completed", { step: "print", item: 2, output: { type: "Printed", data: { pages: 77 } } }),
  ];
  const shown = (filter: Partial<typeof everything>) => {
    const { store: run } = store();
    run.append(history);
    const { rows } = new LogRows(run, { ...everything, ...filter }).update();
    return rows.map((index) => run.entries[index]?.number);
  };

  it("hides housekeeping, and counts it", () => {
    const { store: run } = store();
    run.append(history);

    expect(new LogRows(run, everything).update().counts).toMatchObject({ housekeeping: 1, failures: 1, steps: 2 });
    expect(shown({})).toEqual([1, 2, 3, 5]);
    expect(shown({ showsHousekeeping: true })).toEqual([1, 2, 3, 4, 5]);
  });

  it("filters by kind, by step and by text, also of what an event holds", () => {
    expect(shown({ kind: "state" })).toEqual([2]);
    expect(shown({ kind: "failures" })).toEqual([3]);
    expect(shown({ step: "load" })).toEqual([2, 3]);
    expect(shown({ text: " PAPER " })).toEqual([3]);
    expect(shown({ text: "77" })).toEqual([5]);
    expect(shown({ text: "nothing" })).toEqual([]);
  });
});

describe("marksOf", () => {
  it("draws at most one mark per pixel, and of several the failure", () => {
    const { store: run } = store();
    const many = ticks(10_000).map((tick) => (tick.number === 5000 ? entry(5000, "step.failed", failure) : tick));
    run.append(many);

    const marks = marksOf(run, 200);

    expect(marks).toHaveLength(201);
    expect(new Set(marks.map(({ x }) => x)).size).toBe(201);
    expect(marks.filter(({ kind }) => kind === "failure").map(({ x }) => x)).toEqual([100]);
  });

  it("has nothing to draw before the first tick, and one mark of a single tick", () => {
    const { store: run } = store();
    expect(marksOf(run, 100)).toEqual([]);

    run.append(ticks(1));
    expect(marksOf(run, 100)).toEqual([{ x: 0, kind: "tick" }]);
  });
});
