import { describe, expect, it } from "vitest";
import { type StepChange, StepTree } from "./step-tree.js";

const base: StepChange = {
  runId: "r",
  step: "price",
  item: 1,
  attempt: 1,
  status: "running",
  atMs: 0,
  elapsedMs: null,
  note: null,
};

function textOf(tree: StepTree, nowMs = 0): string[] {
  return tree.lines(nowMs, null).map((line) => line.map(([text]) => text).join(""));
}

describe("the tree of steps", () => {
  it("counts the items of a step, and shows the one that needs the most attention", () => {
    const tree = new StepTree("r");

    tree.change({ ...base, item: 1, status: "completed", elapsedMs: 5 });
    tree.change({ ...base, item: 2 });
    tree.change({ ...base, item: 3, status: "failed", note: "no price" });

    expect(textOf(tree)).toEqual(["● price  ×3  1 completed, 1 failed, 1 running"]);
  });

  it("says how long, which attempt, and why", () => {
    const tree = new StepTree("r");

    tree.change({ ...base, attempt: 2, atMs: 1_000 });
    const running = textOf(tree, 4_500);
    tree.change({ ...base, attempt: 2, status: "failed", elapsedMs: 4_000, note: "no price" });

    expect(running).toEqual(["● price  3.5 s  attempt 2"]);
    expect(textOf(tree)).toEqual(["✖ price  failed  4.0 s  attempt 2  no price"]);
  });

  it("has the calls of a step with one item below it: label or key, time, attempt, and why one has failed", () => {
    const tree = new StepTree("r");
    const call = { startedAtMs: 0, startedTick: 1, endedAtMs: 2_500, endedTick: 2, attempts: 1, error: null };
    const busy = { code: "STEP_FAILED", message: "The bank is busy." };

    tree.change({
      ...base,
      calls: [
        { ...call, call: "run=find", status: "completed" },
        {
          ...call,
          call: "run=pay",
          label: "Charge the card",
          status: "waiting",
          attempts: 2,
          endedAtMs: null,
          error: busy,
        },
      ],
    });
    const two = textOf(tree);
    tree.change({
      ...base,
      calls: Array.from({ length: 30 }, (_, n) => ({ ...call, call: `run=call ${n}`, status: "completed" as const })),
      moreCalls: 5,
    });

    expect(two).toEqual([
      "● price  ",
      "  ✔ find  2.5 s",
      "  ↻ Charge the card  retrying  attempt 2  The bank is busy.",
    ]);
    expect(textOf(tree)).toHaveLength(22);
    expect(textOf(tree)[1]).toBe("  … 15 more calls");
  });

  it("has the steps of a child below the step that runs it", () => {
    const tree = new StepTree("r");

    tree.change({ ...base, step: "outer" });
    tree.add({ parentRunId: "r", step: "outer", runId: "r/1", workflow: "Inner" });
    tree.change({ ...base, step: "last" });
    tree.change({ ...base, runId: "r/1", step: "inner", status: "completed", elapsedMs: 1 });

    expect(textOf(tree)).toEqual(["● outer  ", "  ✔ inner  1 ms", "● last  "]);
  });
});
