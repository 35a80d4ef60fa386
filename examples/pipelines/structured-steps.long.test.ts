import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createAnalysis } from "./structured-steps.js";
import { prove } from "./support/prove.js";

describe("structured steps", () => {
  it("hands objects from step to step", async () => {
    const { output } = await runExample("pipelines/structured-steps.ts");

    expect(output.split("\n")).toEqual([
      "research: {",
      "  topic: 'AI trends',",
      "  insights: [ 'small models run on laptops', 'agents move into products' ],",
      "  confidence: 0.8",
      "}",
      "transform: {",
      "  analysis_type: 'Custom',",
      "  key_findings: [",
      "    'AI trends: small models run on laptops',",
      "    'AI trends: agents move into products'",
      "  ],",
      "  worth_publishing: true",
      "}",
      "headline: { headline: 'AI trends: small models run on laptops!', findings: 2 }",
      "AI TRENDS: SMALL MODELS RUN ON LAPTOPS!",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createAnalysis, "AI trends");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
