import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createContentCreation } from "./metrics.js";
import { prove } from "./support/prove.js";

describe("metrics", () => {
  it("counts the tokens of a run, its steps and its session", async () => {
    const { output } = await runExample("pipelines/metrics.ts");

    expect(output.replaceAll(/\d\.\d{3} s/g, "… s").split("\n")).toEqual([
      "Run: … s, with what is between the steps",
      "Step: Research Step (team Research Team)",
      "  Tokens: 279, 212 in and 67 out",
      "  Duration: … s",
      "  Model: gpt-5-mini of offline, 279 tokens",
      "Step: Content Planning Step (agent Content Planner)",
      "  Tokens: 61, 31 in and 30 out",
      "  Duration: … s",
      "  Model: gpt-4o of offline, 61 tokens",
      "Step: Word Count Step (function countWords)",
      "  Tokens: 0, 0 in and 0 out",
      "  Duration: … s",
      "Session, after two runs",
      "  Tokens: 628, 454 in and 174 out",
      "  Duration: … s",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createContentCreation, "AI trends in 2024");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
