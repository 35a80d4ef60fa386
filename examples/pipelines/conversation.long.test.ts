import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createRivers } from "./conversation.js";
import { prove } from "./support/prove.js";

describe("conversation", () => {
  it("answers what it knows without a run", async () => {
    const { output } = await runExample("pipelines/conversation.ts");

    expect(output.split("\n")).toEqual([
      "> How long is the Nile?",
      "The Nile is 6650 km long.",
      '  (has run with "Nile")',
      "> Say that again.",
      "As far as I know: The Nile is 6650 km long.",
      "  (has not run)",
      "> And the Danube?",
      "The Danube is 2850 km long.",
      '  (has run with "Danube")',
      "> Which of them is longer?",
      "As far as I know: The Nile is 6650 km long. The Danube is 2850 km long.",
      "  (has not run)",
      "stored: How long is the Nile?",
      "stored: Say that again.",
      "stored: And the Danube?",
      "stored: Which of them is longer?",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createRivers, "How long is the Nile?");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
