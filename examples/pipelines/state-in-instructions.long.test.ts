import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createAgent } from "./state-in-instructions.js";
import { asStep, prove } from "./support/prove.js";

describe("state in instructions", () => {
  it("fills in what the state has", async () => {
    const { output } = await runExample("pipelines/state-in-instructions.ts");

    expect(output.split("\n")).toEqual(["Your name is John.", "Your name is Johnny.", ""]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(asStep(createAgent), "What is my name?");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
