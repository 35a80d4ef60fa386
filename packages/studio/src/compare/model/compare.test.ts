import type { HistoryEntry } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { attempt, entry } from "../../../test/support/ticks.js";
import { asNamed } from "../../model/step-names.js";
import { firstDifference, isSame } from "./first-difference.js";
import { type ComparedRun, matchTicks } from "./match-ticks.js";

const run = (runId: string, entries: readonly HistoryEntry[], attempts: ComparedRun["attempts"] = []): ComparedRun => ({
  runId,
  entries: entries.map((one) => ({ ...one, runId: one.runId === "r" ? runId : one.runId })),
  attempts: attempts.map((one) => ({ ...one, runId })),
  naming: asNamed,
  isPipeline: false,
});
const start = (data: object) => entry(1, "run.started", { event: { type: "Go", data } });
const done = (number: number, item: number, words: number) =>
  entry(number, "step.completed", { step: "read", item, output: { type: "Summary", data: { words } } });
const counted = (number: number, item: number, total: number) =>
  entry(number, "state.edited", { step: "read", item, changes: [{ path: ["done"], old: total - 1, new: total }] });
const readers = [attempt("read", 3), attempt("read", 4), attempt("read", 5)];
const numbers = (pairs: ReturnType<typeof matchTicks>) =>
  pairs.map(({ a, b, isEqual }) => [a?.entry.number ?? null, b?.entry.number ?? null, isEqual]);

describe("matchTicks", () => {
  it("takes a fan-out that ended in another order as equal, whatever its counters were", () => {
    const a = run("a", [start({ n: 1 }), counted(2, 3, 1), done(3, 3, 10), counted(4, 4, 2), done(5, 4, 20)], readers);
    const b = run("b", [start({ n: 1 }), counted(2, 4, 1), done(3, 4, 20), counted(4, 3, 2), done(5, 3, 10)], readers);

    const pairs = matchTicks(a, b, 0);

    expect(pairs.every(({ isEqual }) => isEqual)).toBe(true);
    expect(numbers(pairs)).toEqual([
      [1, 1, true],
      [2, 4, true],
      [3, 5, true],
      [4, 2, true],
      [5, 3, true],
    ]);
    expect(firstDifference({ a, b, pairs, fork: null })).toBeNull();
  });

  it("says which item of a fan-out was another", () => {
    const a = run("a", [done(2, 3, 10), done(3, 4, 20), done(4, 5, 30)], readers);
    const b = run("b", [done(2, 5, 30), done(3, 3, 10), done(4, 4, 21)], readers);

    const pairs = matchTicks(a, b, 0);

    expect(pairs.filter(({ isEqual }) => !isEqual).map((pair) => [pair.a?.entry.number, pair.b?.entry.number])).toEqual(
      [[3, 4]],
    );
  });

  it("does not look at item numbers of a step whose items are numbered differently", () => {
    const a = run("a", [done(2, 9, 10), done(3, 8, 20)], [attempt("read", 8), attempt("read", 9)]);
    const b = run("b", [done(2, 11, 10), done(3, 12, 20)], [attempt("read", 11), attempt("read", 12)]);

    expect(numbers(matchTicks(a, b, 0))).toEqual([
      [2, 2, true],
      [3, 3, true],
    ]);
  });

  it("compares the attempt in which a step failed", () => {
    const failed = (number: number, count: number) =>
      entry(number, "step.failed", { step: "load", item: 1, attempt: count, error: { message: "no" }, retryAtMs: 1 });
    const a = run("a", [failed(2, 1), failed(3, 2)], [attempt("load", 1)]);
    const b = run("b", [failed(2, 1)], [attempt("load", 1)]);

    expect(numbers(matchTicks(a, b, 0))).toEqual([
      [2, 2, true],
      [3, null, false],
    ]);
  });

  it("leaves out what an idle run does, and how a fork begins", () => {
    const a = run("a", [entry(4, "run.idled"), entry(5, "event.received", { event: { type: "Yes", data: 1 } })]);
    const b = run("b", [
      entry(0, "run.forked", { from: { runId: "a", tick: 3 } }),
      entry(1, "run.resumed"),
      entry(2, "time.passed"),
      entry(3, "event.received", { event: { type: "Yes", data: 1 } }),
    ]);

    expect(numbers(matchTicks(a, b, 3))).toEqual([[5, 3, true]]);
  });

  it("puts what only one has where it came", () => {
    const a = run("a", [done(2, 1, 1), done(3, 2, 2), done(4, 3, 3)], readers);
    const b = run(
      "b",
      [done(2, 1, 1), entry(3, "stream.written", { step: "x", item: 9, event: { type: "P" } }), done(4, 3, 3)],
      readers,
    );

    expect(numbers(matchTicks(a, b, 0))).toEqual([
      [2, 2, true],
      [3, null, false],
      [null, 3, false],
      [4, 4, true],
    ]);
  });
});

describe("firstDifference", () => {
  const textOf = (facts: Parameters<typeof firstDifference>[0]) =>
    firstDifference(facts)
      ?.pieces.map((piece) => (typeof piece === "string" ? piece : piece.code))
      .join("");
  const compared = (a: ComparedRun, b: ComparedRun) => ({ a, b, pairs: matchTicks(a, b, 0), fork: null });

  it("names the input first", () => {
    const a = run("a", [start({ order: "A", euros: 5 }), done(2, 3, 1)]);
    const b = run("b", [start({ order: "A", euros: 7 }), done(2, 3, 2)]);

    expect(textOf(compared(a, b))).toBe("The input: euros is 5 in A and 7 in B.");
  });

  it("names the deepest place", () => {
    const order = (sku: string) => start({ order: { items: [{ sku: "A1" }, { sku }] } });

    expect(textOf(compared(run("a", [order("B2")]), run("b", [order("B3")])))).toBe(
      'The input: order.items.1.sku is "B2" in A and "B3" in B.',
    );
  });

  it("names what a fork was given", () => {
    const [a, b] = [run("a", [start({})]), run("b", [])];
    const fork = { at: 3, before: { risk: 0.27, order: "A" }, after: { order: "A", risk: 0.81 } };

    expect(textOf({ a, b, pairs: [], fork })).toBe("The fork was given risk = 0.81 at tick 3; a had risk = 0.27.");
  });

  it("shows both values where the ticks are of one kind, and both sentences where not", () => {
    const same = compared(run("a", [done(2, 3, 1)], readers), run("b", [done(2, 3, 2)], readers));
    expect(textOf(same)).toBe("read completed: words is 1 in A and 2 in B, at tick 2 and 2.");

    const failed = entry(2, "step.failed", { step: "read", item: 3, error: { message: "no" }, retryAtMs: null });
    const only = compared(run("a", [done(2, 3, 1)], readers), run("b", [failed], readers));
    expect(textOf(only)).toBe("Only A has tick 2: read completed.");
  });
});

describe("isSame", () => {
  it.each([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: undefined }, { b: undefined }, false],
    [[1, 2], { 0: 1, 1: 2 }, false],
    [null, {}, false],
    [Number.NaN, Number.NaN, true],
  ])("%o and %o: %s", (one, other, same) => expect(isSame(one, other)).toBe(same));
});
