import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createResearch } from "./structured-input.js";
import { prove } from "./support/prove.js";

describe("structured input", () => {
  it("gives each kind of input as text to the agent", async () => {
    const { output } = await runExample("pipelines/structured-input.ts");

    expect(output.split("\n")).toEqual([
      "Input: string. I was told: Analyze AI trends",
      "Input: object. I was told: {",
      '  "topic": "AI trends 2024",',
      '  "depth": 8,',
      '  "sources": [',
      '    "academic",',
      '    "industry"',
      "  ]",
      "}",
      "Input: list. I was told: [",
      '  "AI",',
      '  "ML",',
      '  "LLMs"',
      "]",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createResearch, ["AI", "ML", "LLMs"]);

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
