import { describe, expect, it } from "vitest";
import { containerText, notMetText, pausedText } from "./container-text.js";

describe("containerText", () => {
  it.each([
    [{ type: "Steps", name: "Research", results: 3 }, "Steps Research completed with 3 results"],
    [{ type: "Steps", name: "Research", results: 0 }, "No steps to execute"],
    [
      { type: "Loop", name: "Refine", iterations: 2, results: 4 },
      "Loop Refine completed 2 iterations with 4 total steps",
    ],
    [{ type: "Router", name: "Pick", results: 1 }, "Router Pick completed with 1 results"],
    [{ type: "Router", name: "Pick", results: 0 }, "Router Pick completed with 0 results (no steps selected)"],
    [
      { type: "Condition", name: "Check", results: 2, branch: "if" },
      "Condition Check completed with 2 results (if branch)",
    ],
    [
      { type: "Condition", name: "Check", results: 1, branch: "else" },
      "Condition Check completed with 1 results (else branch)",
    ],
  ] as const)("says of %o: %s", (facts, text) => {
    expect(containerText(facts)).toBe(text);
  });

  it("says what did not run", () => {
    expect(notMetText("Check", 2)).toBe("Condition Check not met - skipped 2 steps");
    expect(pausedText("Router", "Pick")).toBe("Router Pick paused at inner step");
  });
});
