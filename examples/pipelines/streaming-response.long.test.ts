import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";

describe("streaming response", () => {
  it("prints what is said as it comes", async () => {
    const { output } = await runExample("pipelines/streaming-response.ts");

    expect(output.split("\n")).toEqual([
      "Content Creation Workflow has started.",
      "",
      "--- Research Team",
      "Hackernews on AI trends in 2024: small models run on laptops (412 points).",
      "The web on AI trends in 2024: agents move from demos into products.",
      "--- Content Planner",
      "Hackernews on AI trends in 2024: small models run on laptops (412 points).",
      "The web on AI trends in 2024: agents move from demos into products.",
      "",
      "Week 1: a summary, an interview and a list of links.",
      "Week 2: a summary, an interview and a list of links.",
      "Week 3: a summary, an interview and a list of links.",
      "Week 4: a summary, an interview and a list of links.",
      "It has ended.",
      "COMPLETED",
      "",
    ]);
  });
});
