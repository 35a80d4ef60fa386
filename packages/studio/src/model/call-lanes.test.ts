import type { RunAttempt, RunCall } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { attempt, msAt } from "../../test/support/ticks.js";
import { callLanesOf } from "./call-lanes.js";
import { asNamed } from "./step-names.js";
import { lanesOf } from "./timeline.js";

function call(id: string, fromMs: number, toMs: number, more: Partial<RunCall> = {}): RunCall {
  const [startedAtMs, endedAtMs] = [msAt(fromMs), msAt(toMs)];
  return {
    ...{
      call: id,
      startedAtMs,
      endedAtMs,
      startedTick: 1,
      endedTick: 2,
      status: "completed",
      attempts: 1,
      error: null,
    },
    ...more,
  } as RunCall;
}

function lanes(attempts: readonly RunAttempt[]) {
  const [lane] = lanesOf(attempts, { runId: "r", naming: asNamed });
  return callLanesOf(lane as never);
}

describe("callLanesOf", () => {
  it("is a tree of scopes and calls, in the order in which they began", () => {
    const calls = [
      call("run=total", 0, 10, { label: "Add it up" }),
      call("/@bank/run=charge", 10, 20, { attempts: 3 }),
      call("/@bank/@receipt/run=print", 20, 30),
      call("/@bank/1:run=charge", 30, 40),
      call("run=mail", 40, 50, { status: "failed" }),
    ];

    const found = lanes([attempt("a", 1, { calls })]).map(({ label, depth, items, retries, failures }) => {
      return [`${"  ".repeat(depth - 1)}${label}`, items, retries, failures];
    });

    expect(found).toEqual([
      ["Add it up", 1, 0, 0],
      ["bank", 0, 0, 0],
      ["  charge", 2, 2, 0],
      ["  receipt", 0, 0, 0],
      ["    print", 1, 0, 0],
      ["mail", 1, 0, 1],
    ]);
  });

  it("has as many rows for one name as were at work at once, and none of other steps", () => {
    const attempts = [
      attempt("a", 1, { startedAtMs: msAt(0), calls: [call("run=x", 0, 30)] }),
      attempt("a", 2, { startedAtMs: msAt(0), calls: [call("run=x", 10, 20)] }),
      attempt("a", 3, { startedAtMs: msAt(0), calls: [call("run=x", 40, 50)] }),
      attempt("b", 4, { calls: [call("run=y", 0, 30)] }),
    ];

    const [only, ...others] = lanes(attempts);

    expect(others).toEqual([]);
    expect(only).toMatchObject({ step: "a", label: "x", rows: 2, items: 3 });
    expect(only?.bars.map(({ row }) => row)).toEqual([0, 1, 0]);
    expect(new Set(lanes(attempts).map(({ key }) => key)).size).toBe(1);
  });

  it("says how many it leaves out", () => {
    const calls = Array.from({ length: 1_000 }, (_, n) => call(`run=call ${n}`, n, n + 1));

    const found = lanes([attempt("a", 1, { calls })]);

    expect(found).toHaveLength(201);
    expect(found.at(-1)).toMatchObject({ label: "800 more", bars: [] });
  });
});
