import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createAgent } from "./agentic-state.js";
import { asStep, prove } from "./support/prove.js";

describe("agentic state", () => {
  it("lets the model set the state", async () => {
    const { output } = await runExample("pipelines/agentic-state.ts");

    expect(output.split("\n")).toEqual([
      'Done. Updated session state: {"shopping_list":["milk","eggs","bread"]}',
      "Session state: { shopping_list: [ 'milk', 'eggs', 'bread' ] }",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(asStep(createAgent), "Add milk, eggs, and bread to the shopping list");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
