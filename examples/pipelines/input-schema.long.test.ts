import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createContentCreation } from "./input-schema.js";
import { prove } from "./support/prove.js";

describe("input schema", () => {
  it("completes the input, or refuses it", async () => {
    const { output } = await runExample("pipelines/input-schema.ts");

    expect(output.split("\n")).toEqual([
      "AI trends in 2024, from 8 sources: Machine Learning and Computer Vision for Tech professionals",
      "AI trends in 2024, from 5 sources: Machine Learning and Computer Vision for Tech professionals",
      'The input does not fit the pipeline "Content Creation Workflow": focus_areas: Invalid input: expected array, received string; target_audience: Invalid input: expected string, received undefined.',
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createContentCreation, {
      topic: "AI",
      focus_areas: ["Vision"],
      target_audience: "All",
    });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
