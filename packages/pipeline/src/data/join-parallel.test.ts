import { describe, expect, it } from "vitest";
import { joinParallel } from "./join-parallel.js";
import { createOutput } from "./step-output.js";

const branch = (stepName: string, content?: unknown) => createOutput({ stepName, content });

describe("joinParallel", () => {
  it("puts each result below the name of its branch", () => {
    expect(joinParallel([branch("HackerNews", "Ten posts."), branch("Web", { hits: 2 })])).toBe(
      '## HackerNews\n\nTen posts.\n\n## Web\n\n{\n  "hits": 2\n}',
    );
  });

  it("says in words which branch failed", () => {
    const failed = createOutput({ stepName: "Web", content: "Step Web failed: no network", error: "no network" });

    expect(joinParallel([branch("A", "x"), failed])).toBe(
      "## A\n\nx\n\n## Web (failed)\n\nStep Web failed: no network",
    );
  });

  it("falls back to the error, and says when there is no content", () => {
    const failed = createOutput({ stepName: "Web", error: "no network" });

    expect(joinParallel([failed, branch("B")])).toBe("## Web (failed)\n\nno network\n\n## B\n\n*(No content)*");
  });

  it("takes the last content of a group, never its sentence", () => {
    const steps = createOutput({
      stepName: "Research",
      stepType: "Steps",
      content: "Steps Research completed with 2 results",
      steps: [branch("a", "first"), branch("b", "last")],
    });

    expect(joinParallel([steps])).toBe("## Research\n\nlast");
  });

  it("indents a Parallel inside a branch by one level of headings", () => {
    const parallel = { stepType: "Parallel", steps: [branch("x", "1"), branch("y", "2")] } as const;
    const inner = createOutput({ stepName: "P", content: "## x\n\n1\n\n## y\n\n2", ...parallel });
    const wrapped = createOutput({ stepName: "S", stepType: "Steps", content: "-", steps: [inner] });

    expect(joinParallel([wrapped, branch("z", "3")])).toBe("## S\n\n### x\n\n1\n\n### y\n\n2\n\n## z\n\n3");
  });

  it("leaves out what was skipped", () => {
    const skipped = createOutput({ stepName: "C", stepType: "Condition", content: "not met", skipped: true });

    expect(joinParallel([skipped, branch("a", "x")])).toBe("## a\n\nx");
  });

  it("keeps a branch that failed and whose error policy is to continue", () => {
    const failed = createOutput({
      stepName: "Web",
      content: "skipped due to an error",
      error: "no network",
      skipped: true,
    });

    expect(joinParallel([branch("A", "x"), failed])).toBe("## A\n\nx\n\n## Web (failed)\n\nno network");
  });

  it("says so when no branch ran", () => {
    expect(joinParallel([])).toBe("No parallel steps executed");
  });
});
