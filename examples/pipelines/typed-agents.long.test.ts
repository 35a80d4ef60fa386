import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { prove } from "./support/prove.js";
import { createAnalysis } from "./typed-agents.js";

describe("typed agents", () => {
  it("hands an object from agent to agent", async () => {
    const { output } = await runExample("pipelines/typed-agents.ts");

    expect(output.split("\n")).toEqual([
      "research: {",
      "  topic: 'AI trends',",
      "  insights: [ 'small models run on laptops', 'agents move into products' ],",
      "  confidence: 0.8",
      "}",
      "analysis: {",
      "  summary: 'AI trends: small models run on laptops, agents move into products',",
      "  findings: 2,",
      "  recommendation: 'publish'",
      "}",
      "publish",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createAnalysis, "AI trends");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
