import { describe, expect, it } from "vitest";
import { groupText } from "./container-text.js";

describe("groupText", () => {
  it.each([
    [{ kind: "steps", name: "Research", results: 3 }, "Steps Research completed with 3 results"],
    [{ kind: "steps", name: "Research", results: 0 }, "No steps to execute"],
    [
      { kind: "loop", name: "Refine", iterations: 2, results: 4 },
      "Loop Refine completed 2 iterations with 4 total steps",
    ],
    [{ kind: "router", name: "Pick", results: 1 }, "Router Pick completed with 1 results"],
    [{ kind: "router", name: "Pick", results: 0 }, "Router Pick completed with 0 results (no steps selected)"],
    [
      { kind: "condition", name: "Check", results: 2, branch: "if" },
      "Condition Check completed with 2 results (if branch)",
    ],
    [
      { kind: "condition", name: "Check", results: 1, branch: "else" },
      "Condition Check completed with 1 results (else branch)",
    ],
    [{ kind: "condition", name: "Check", results: 0 }, "Condition Check not met - skipped 2 steps"],
  ] as const)("says of %o: %s", (facts, text) => {
    expect(groupText({ children: ["one", "two"], iterations: 0, branch: null, ...facts })).toBe(text);
  });
});
