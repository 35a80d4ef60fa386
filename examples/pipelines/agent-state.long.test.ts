import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createAgent } from "./agent-state.js";
import { asStep, prove } from "./support/prove.js";

describe("agent state", () => {
  it("shows the calls of its tool and the state", async () => {
    const { output } = await runExample("pipelines/agent-state.ts");

    expect(output.split("\n")).toEqual([
      'add_item({"item":"milk"})',
      'add_item({"item":"eggs"})',
      'add_item({"item":"bread"})',
      "The shopping list is now milk, eggs, bread.",
      "Final session state: { shopping_list: [ 'milk', 'eggs', 'bread' ] }",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(asStep(createAgent), "Add milk, eggs, and bread to the shopping list");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
