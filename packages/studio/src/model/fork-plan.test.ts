import { describe, expect, it } from "vitest";
import { attempt } from "../../test/support/ticks.js";
import { forkOptions, forkPlan, forkRefusal, readEdits } from "./fork-plan.js";

const none = { queued: 0, running: 0, waiting: 0, retrying: 0, done: 0, failed: 0, caught: 0 };
const attempts = [
  attempt("check", 1, { startedTick: 1, endedTick: 3 }),
  attempt("approve", 2, { startedTick: 3, endedTick: 8 }),
  attempt("ask", 1, { runId: "r/2", startedTick: 1, endedTick: 2 }),
];

describe("forkRefusal", () => {
  it.each(["completed", "failed", "cancelled"] as const)("refuses a tick at which the run was %s", (status) => {
    expect(forkRefusal({ status })).toContain("earlier tick");
  });

  it("allows a tick at which the run was at work, and one that is not read yet", () => {
    expect([forkRefusal({ status: "running" }), forkRefusal(null), forkRefusal(undefined)]).toEqual([null, null, null]);
  });
});

describe("forkPlan", () => {
  it("keeps what had completed, and says what runs again and with which event", () => {
    const steps = [
      { runId: "r", step: "check", ...none, done: 1 },
      { runId: "r", step: "approve", ...none, queued: 1 },
    ];
    const next = [{ item: 2, step: "approve", event: { type: "Checked", risk: 0.27 } }].map((delivery) => ({
      ...delivery,
      isEditable: false,
      reason: "It does not come from callers.",
    }));

    const refusal = "It does not come from callers.";
    const plan = forkPlan({ runId: "r", attempts, moment: { number: 3, steps, next } });

    expect(plan).toEqual({
      kept: 1,
      again: [{ step: "approve", items: 1, of: 1 }],
      next: [{ item: 2, step: "approve", eventType: "Checked", fields: { risk: 0.27 }, refusal }],
    });
  });

  it("counts the items of a fan-out that run again", () => {
    const steps = [{ runId: "r", step: "read", ...none, queued: 3, running: 2, done: 14, caught: 1 }];

    const { again } = forkPlan({ runId: "r", attempts: [], moment: { number: 4, steps, next: [] } });

    expect(again).toEqual([{ step: "read", items: 5, of: 20 }]);
  });
});

describe("forkOptions", () => {
  it("holds what was changed, and nothing else", () => {
    expect(forkOptions({ at: 3, handlerId: "", state: {}, event: {}, item: null })).toEqual({ at: 3 });
    expect(forkOptions({ at: 3, handlerId: "x", state: { risk: 0.81 }, event: { risk: 0.81 }, item: 2 })).toEqual({
      at: 3,
      handlerId: "x",
      state: { risk: 0.81 },
      event: { risk: 0.81 },
      item: 2,
    });
  });
});

describe("readEdits", () => {
  it("keeps fields that are another value now, and names those that are no JSON", () => {
    const texts = new Map([
      ["order", '"B-203"'],
      ["risk", "0.81"],
      ["approvals", "[1"],
      ["list", "[ 1 ]"],
    ]);

    expect(readEdits(texts, { order: "B-203", risk: 0.27, approvals: [], list: [1] })).toEqual({
      edits: { risk: 0.81 },
      broken: ["approvals"],
    });
  });
});
