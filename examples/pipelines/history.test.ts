import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createContent } from "./history.js";
import { prove } from "./support/prove.js";

describe("history", () => {
  it("knows what was said before", async () => {
    const { output } = await runExample("pipelines/history.ts");

    expect(output.split("\n")).toEqual([
      "> Create content about AI in healthcare",
      "A guide to AI in healthcare",
      "> Make it more family-focused",
      "  before: Create content about AI in healthcare -> A guide to AI in healthcare",
      "  <workflow_history_context>",
      "  [run-1]",
      "  input: Create content about AI in healthcare",
      "  response: A guide to AI in healthcare",
      "  </workflow_history_context>",
      "A parent's guide to AI in healthcare",
      "> Now write about sailing",
      "  before: Create content about AI in healthcare -> A guide to AI in healthcare",
      "  before: Make it more family-focused -> A parent's guide to AI in healthcare",
      "  <workflow_history_context>",
      "  [run-1]",
      "  input: Make it more family-focused",
      "  response: A parent's guide to AI in healthcare",
      "  </workflow_history_context>",
      "A guide to sailing",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createContent, "Create content about AI in healthcare");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
