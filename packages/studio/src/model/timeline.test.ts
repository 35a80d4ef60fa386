import type { RunAttempt } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { attempt, msAt, namingWith, wait } from "../../test/support/ticks.js";
import type { StepNaming } from "./step-names.js";
import { axisOf, timeScale } from "./time-scale.js";
import { type Bar, lanesOf } from "./timeline.js";

const facts = { runId: "r", naming: namingWith("begin") };
const span = (fromMs: number, toMs: number) => ({ startedAtMs: msAt(fromMs), endedAtMs: msAt(toMs) });
const open = { endedAtMs: null, endedTick: null, status: "running", isFinal: false } as const;
const shapeOf = ({ kind, row, fromMs, toMs }: Bar) => [
  kind,
  row,
  fromMs - msAt(0),
  toMs === null ? null : toMs - msAt(0),
];
const bars = (attempts: readonly RunAttempt[]) => lanesOf(attempts, facts)[0]?.bars.map(shapeOf);

describe("lanesOf", () => {
  it("has a lane per step in the order of their start, without the steps that move a pipeline on", () => {
    const lanes = lanesOf([attempt("begin", 1), attempt("find", 2), attempt("write", 3), attempt("find", 4)], facts);

    expect(lanes.map(({ step, items }) => [step, items])).toEqual([
      ["find", 2],
      ["write", 1],
    ]);
  });

  it("puts what a step asks into its lane, and what a container asks into a separate one", () => {
    const naming: StepNaming = (step) => {
      const owner = step.replace(/: ask$/, "");
      return { owner, label: `the ${owner}`, isInner: owner === "polish" };
    };
    const attempts = [
      attempt("publish: ask", 1, { ...span(0, 55), waits: [wait("event", [0, 50])] }),
      attempt("polish", 2),
      attempt("publish", 3, span(60, 70)),
      attempt("polish: ask", 4, { ...open, waits: [wait("event", [70, null])] }),
      attempt("loop", 5),
    ];
    const lanes = lanesOf(attempts, { runId: "r", naming });

    expect(lanes.map(({ step, label, items, rows }) => [step, label, items, rows])).toEqual([
      ["publish", "the publish", 1, 1],
      ["polish", "the polish", 0, 1],
      ["loop", "the loop", 1, 1],
    ]);
    expect(lanes.map(({ bars }) => bars.map(({ kind }) => kind))).toEqual([
      ["waiting", "done", "done"],
      ["waiting"],
      ["done"],
    ]);
  });

  it("packs items into as few rows as ran at once", () => {
    const lanes = lanesOf(
      [
        attempt("a", 1, span(0, 100)),
        attempt("a", 2, span(50, 90)),
        attempt("a", 3, span(90, 200)),
        attempt("a", 4, span(100, 110)),
      ],
      facts,
    );

    expect(lanes[0]?.rows).toBe(2);
    expect(lanes[0]?.bars.map(({ row }) => row)).toEqual([0, 1, 1, 0]);
  });

  it("has all attempts of an item in one row, and dots until the next one", () => {
    const failed = { status: "failed", isFinal: false } as const;
    expect(
      bars([
        attempt("a", 1, { ...span(0, 100), ...failed }),
        attempt("a", 2, span(0, 500)),
        attempt("a", 1, { ...span(300, 400), attempt: 2 }),
        attempt("a", 3, span(150, 160)),
      ]),
    ).toEqual([
      ["retried", 0, 0, 100],
      ["retry", 0, 100, 300],
      ["done", 0, 300, 400],
      ["done", 1, 0, 500],
      ["done", 2, 150, 160],
    ]);
  });

  it("shows the time until a next attempt that has not begun", () => {
    const first = attempt("a", 1, { ...span(0, 100), status: "retrying", isFinal: false, retryAtMs: msAt(250) });

    expect(bars([first])).toEqual([
      ["retried", 0, 0, 100],
      ["retry", 0, 100, 250],
    ]);
  });

  it("is solid red when it failed for good", () => {
    expect(bars([attempt("a", 1, { ...span(0, 100), status: "failed", isFinal: true })])).toEqual([
      ["failed", 0, 0, 100],
    ]);
  });

  it("cuts an attempt at its waits; what is not over has no end", () => {
    const waits = [wait("event", [20, 80]), wait("sleep", [90, null])];

    expect(bars([attempt("a", 1, { startedAtMs: msAt(0), ...open, waits })])).toEqual([
      ["done", 0, 0, 20],
      ["waiting", 0, 20, 80],
      ["done", 0, 80, 90],
      ["waiting", 0, 90, null],
    ]);
  });

  it("draws the calls that took time within their attempt", () => {
    const call = { call: "run=pay", startedTick: 2, endedTick: 3, attempts: 1, error: null };
    const calls = [
      { ...call, startedAtMs: msAt(10), endedAtMs: msAt(40), status: "completed" as const },
      { ...call, startedAtMs: msAt(40), endedAtMs: msAt(40), status: "completed" as const },
      { ...call, startedAtMs: msAt(50), endedAtMs: null, endedTick: null, status: "waiting" as const, attempts: 3 },
    ];
    const waits = [wait("retry", [60, null])];
    const lanes = lanesOf([attempt("a", 1, { startedAtMs: msAt(0), ...open, calls, waits })], facts);

    expect(lanes[0]?.bars.map((bar) => [bar.kind, bar.call?.attempts, bar.fromMs - msAt(0)])).toEqual([
      ["done", undefined, 0],
      ["retry", undefined, 60],
      ["done", 1, 10],
      ["retried", 3, 50],
    ]);
  });

  it("draws children that run at once as one stretch", () => {
    const waits = [wait("child", [10, 40]), wait("child", [10, 90]), wait("child", [20, 30])];

    expect(bars([attempt("a", 1, { ...span(0, 100), waits })])).toEqual([
      ["done", 0, 0, 10],
      ["child", 0, 10, 40],
      ["child", 0, 40, 90],
      ["done", 0, 90, 100],
    ]);
  });

  it("indents the lanes of child runs below the step that started them, also of children of children", () => {
    const child = (run: string, workflow: string) => ({ runId: run, workflow });
    const calls = (run: string) => ({ waits: [wait("child", [10, 20], { runId: run })] });
    const lanes = lanesOf(
      [
        attempt("plan", 1),
        attempt("book", 3, calls("r/5")),
        attempt("book", 4, calls("r/6")),
        attempt("ask", 5, { ...child("r/5", "quote"), ...calls("r/5/1") }),
        attempt("ask", 6, child("r/6", "quote")),
        attempt("dial", 7, child("r/5/1", "phone")),
        attempt("total", 8),
      ],
      facts,
    );

    expect(lanes.map(({ depth, child: of, step, items }) => [depth, of, step, items])).toEqual([
      [0, null, "plan", 1],
      [0, null, "book", 2],
      [1, "quote", "ask", 2],
      [2, "phone", "dial", 1],
      [0, null, "total", 1],
    ]);
    expect(new Set(lanes.map(({ key }) => key)).size).toBe(5);
  });
});

describe("timeScale", () => {
  const day = 86_400_000;
  const long = [
    attempt("ask", 1, { ...span(0, day + 500), waits: [wait("event", [1000, day])] }),
    attempt("pay", 2, span(day + 500, day + 1000)),
  ];
  const whole = { fromMs: msAt(0), toMs: msAt(day + 1000) };

  it("folds what waits for a person, so that the rest can be seen", () => {
    const scale = timeScale(long, { ...whole, folds: true });

    expect(scale.folded).toEqual([{ fromMs: msAt(1000), toMs: msAt(day) }]);
    expect(scale.place(msAt(1000))).toBeCloseTo(0.47, 2);
    expect(scale.place(msAt(day))).toBeCloseTo(0.53, 2);
    expect(scale.place(whole.toMs)).toBeCloseTo(1, 5);
  });

  it("is even when nothing is folded, and still says where it could be", () => {
    const scale = timeScale(long, { ...whole, folds: false });

    expect([scale.folded.length, scale.gaps.length]).toEqual([0, 1]);
    expect(scale.place(msAt(day / 2))).toBeCloseTo(0.5, 3);
  });

  it("does not fold the time in which a child runs", () => {
    const calls = [attempt("book", 1, { ...span(0, 10_000), waits: [wait("child", [10, 9990])] })];

    expect(timeScale(calls, { fromMs: msAt(0), toMs: msAt(10_000), folds: true }).gaps).toEqual([]);
  });

  it("stays inside for times outside", () => {
    const scale = timeScale(long, { ...whole, folds: true });

    expect([scale.place(msAt(-5)), scale.place(msAt(9 * day))]).toEqual([0, 1]);
  });

  it("puts round times on the axis, none of them on another or on a fold of weeks", () => {
    const marks = axisOf(timeScale(long, { ...whole, folds: true }));

    expect(marks.filter(({ foldedMs }) => foldedMs !== null)).toHaveLength(1);
    expect(marks.length).toBeLessThan(12);
    const shares = marks.map(({ share }) => share);
    expect(shares).toEqual([...shares].sort((one, other) => one - other));
  });
});
