import type { RunAttempt, RunMoment, StepMoment } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { attempt, entry, msAt, wait } from "../../test/support/ticks.js";
import { Emitted } from "./emitted.js";
import { overlayOf } from "./overlay.js";

const none = { queued: 0, running: 0, waiting: 0, retrying: 0, done: 0, failed: 0, caught: 0 };
const open = { endedAtMs: null, endedTick: null, status: "running" } as const;

function step(
  counts: Partial<StepMoment>,
  rest: { attempts?: RunAttempt[]; status?: string; asks?: boolean; at?: number } = {},
) {
  const { attempts = [], status = "running", asks = false, at = 50 } = rest;
  const moment = {
    number: at,
    atMs: 0,
    status,
    state: {},
    steps: [
      { runId: "r", step: "a", ...none, ...counts },
      { runId: "r/1", step: "b", ...none, running: 1 },
    ],
    prompts: asks ? [{ step: "a", runId: "r" }] : [],
  } as unknown as RunMoment;
  return overlayOf({ runId: "r", moment, attempts, emitted: {}, atMs: msAt(1000) }).steps["a"];
}

describe("overlayOf", () => {
  it.each([
    [{}, "idle"],
    [{ queued: 2 }, "queued"],
    [{ running: 1, done: 3 }, "running"],
    [{ retrying: 1, done: 3, waiting: 1 }, "retrying"],
    [{ waiting: 1, done: 1 }, "waiting"],
    [{ queued: 1, done: 1 }, "running"],
    [{ done: 2, caught: 1 }, "done"],
    [{ caught: 1 }, "caught"],
    [{ failed: 1, running: 2 }, "failed"],
  ])("%o is %s", (counts, status) => expect(step(counts)?.status).toBe(status));

  it("nothing moves in a run that has ended", () => {
    expect(step({ queued: 1, done: 1 }, { status: "cancelled" })?.status).toBe("done");
    expect(step({ running: 1 }, { status: "cancelled" })?.status).toBe("idle");
  });

  it("counts an item whose child runs as running", () => {
    const attempts = [
      attempt("a", 1, { ...open, waits: [wait("child", [0, null])] }),
      attempt("a", 2, { ...open, waits: [wait("sleep", [0, null])] }),
    ];

    expect(step({ waiting: 2 }, { attempts })).toMatchObject({
      running: 1,
      waiting: 1,
      waitsFor: "time",
      status: "running",
    });
  });

  it("says what it waits for: a person before a time", () => {
    expect(step({ waiting: 1 }, { asks: true })?.waitsFor).toBe("person");
    expect(step({ waiting: 1 })?.waitsFor).toBeNull();
    expect(step({ done: 1 }, { asks: true })?.waitsFor).toBeNull();
  });

  it("adds up attempts until the tick, and leaves out what began later or is of a child", () => {
    const attempts = [
      attempt("a", 1, { startedAtMs: msAt(0), endedAtMs: msAt(100), startedTick: 1, endedTick: 2 }),
      attempt("a", 1, { attempt: 2, startedAtMs: msAt(900), startedTick: 5, ...open }),
      attempt("a", 3, { attempt: 2, startedTick: 60 }),
      attempt("a", 4, { runId: "r/1", startedTick: 1 }),
    ];

    expect(step({ running: 1 }, { attempts })).toMatchObject({ retries: 1, elapsedMs: 200 });
    expect(step({ running: 1 }, { attempts, at: 1 })).toMatchObject({ retries: 0, elapsedMs: 1000 });
  });
});

describe("Emitted", () => {
  it("counts events by type up to a tick, and not what is only shown", () => {
    const emitted = new Emitted();
    emitted.record(entry(1, "run.started", { event: { type: "Go" } }));
    emitted.record(
      entry(2, "step.completed", {
        output: [{ type: "File" }, { type: "File" }],
        sends: [{ event: { type: "Sent" } }],
      }),
    );
    emitted.record(entry(3, "stream.written", { event: { type: "Progress" } }));
    emitted.record(entry(4, "step.completed", { output: { type: "File" }, sends: null }));

    expect(emitted.upTo(1)).toEqual({ Go: 1 });
    expect(emitted.upTo(3)).toEqual({ Go: 1, File: 2, Sent: 1 });
    expect(emitted.upTo(9)).toEqual({ Go: 1, File: 3, Sent: 1 });
  });
});

describe("the overlay of children", () => {
  it("sums those of one step, and keeps those of others apart", () => {
    const child = (runId: string, done: number) => ({ runId, step: "ask", ...none, done });
    const steps = [
      { runId: "r", step: "book", ...none, running: 2 },
      child("r/1", 1),
      child("r/2", 2),
      child("r/3", 4),
    ];
    const attempts = [
      attempt("book", 1, { ...open, waits: [wait("child", [0, null], { runId: "r/1" })] }),
      attempt("book", 2, { ...open, waits: [wait("child", [0, null], { runId: "r/2" })] }),
      attempt("other", 3, { ...open, waits: [wait("child", [0, null], { runId: "r/3" })] }),
    ];
    const moment = { number: 50, atMs: 0, status: "running", state: {}, steps, prompts: [] } as unknown as RunMoment;

    const overlay = overlayOf({ runId: "r", moment, attempts, emitted: {}, atMs: msAt(1000) });

    expect(overlay.steps["book›ask"]?.done).toBe(3);
    expect(overlay.steps["other›ask"]?.done).toBe(4);
    expect(overlay.steps["ask"]).toBeUndefined();
  });
});

describe("the labelled calls of a step", () => {
  const call = { call: "run=a", attempts: 1, error: null, startedAtMs: 0, endedAtMs: 0 } as const;
  const calls = [
    { ...call, label: "Ask", startedTick: 2, endedTick: 3, status: "completed" as const },
    { ...call, startedTick: 3, endedTick: 4, status: "completed" as const },
    { ...call, label: "Pay", startedTick: 4, endedTick: 6, status: "failed" as const },
    { ...call, label: "Ask", startedTick: 7, endedTick: null, endedAtMs: null, status: "running" as const },
  ];
  const shownAt = (at: number) => step({ running: 1 }, { attempts: [attempt("a", 1, { ...open, calls })], at })?.calls;

  it("are those that had begun, the latest first, each label once", () => {
    expect(shownAt(1)).toEqual([]);
    expect(shownAt(2)).toEqual([{ label: "Ask", status: "running" }]);
    expect(shownAt(6)).toEqual([
      { label: "Pay", status: "failed" },
      { label: "Ask", status: "done" },
    ]);
    expect(shownAt(8)).toEqual([
      { label: "Ask", status: "running" },
      { label: "Pay", status: "failed" },
    ]);
  });
});
