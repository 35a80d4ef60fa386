import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createContentCreation } from "./content-creation.js";
import { prove } from "./support/prove.js";

describe("content creation", () => {
  it("prints the plan", async () => {
    const { output } = await runExample("pipelines/content-creation.ts");

    expect(output.split("\n")).toEqual([
      "COMPLETED with the steps Research Team, Content Planner",
      "Content Creation Workflow",
      "Input: AI trends in 2024",
      "",
      "── Research Team",
      "Hackernews on AI trends in 2024: small models run on laptops (412 points).",
      "The web on AI trends in 2024: agents move from demos into products.",
      "",
      "── Content Planner",
      "Hackernews on AI trends in 2024: small models run on laptops (412 points).",
      "The web on AI trends in 2024: agents move from demos into products.",
      "",
      "Week 1: a summary, an interview and a list of links.",
      "Week 2: a summary, an interview and a list of links.",
      "Week 3: a summary, an interview and a list of links.",
      "Week 4: a summary, an interview and a list of links.",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createContentCreation, "AI trends in 2024", { streamExecutorEvents: true });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
