import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createMixed } from "./mixed-pipeline.js";
import { prove } from "./support/prove.js";

describe("mixed pipeline", () => {
  it("runs a team, a function and an agent", async () => {
    const { output } = await runExample("pipelines/mixed-pipeline.ts");

    expect(output.split("\n")).toEqual([
      "Mixed Execution Pipeline",
      "Input: Analyze the competitive landscape for fintech startups",
      "",
      "── Research Team",
      "Hackernews on Analyze the competitive landscape for fintech startups: small models run on laptops (412 points).",
      "The web on Analyze the competitive landscape for fintech startups: agents move from demos into products.",
      "",
      "── preprocessData",
      'Processed "Analyze the competitive landscape for fintech startups":',
      "* Hackernews on Analyze the competitive landscape for fintech startups: small models run on laptops (412 points).",
      "* The web on Analyze the competitive landscape for fintech startups: agents move from demos into products.",
      "",
      "── Content Agent",
      "An article from:",
      'Processed "Analyze the competitive landscape for fintech startups":',
      "* Hackernews on Analyze the competitive landscape for fintech startups: small models run on laptops (412 points).",
      "* The web on Analyze the competitive landscape for fintech startups: agents move from demos into products.",
      "",
      "By: team, function, agent",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createMixed, "Analyze the competitive landscape for fintech startups");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
