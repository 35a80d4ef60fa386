import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createAgent } from "./overwrite-state.js";
import { asStep, prove } from "./support/prove.js";

describe("overwrite state", () => {
  it("merges or replaces what is stored", async () => {
    const { output } = await runExample("pipelines/overwrite-state.ts");

    expect(output.split("\n")).toEqual([
      "=== Merged ===",
      'I see {"shopping_list":["Potatoes"]}.',
      "Stored session state: { shopping_list: [ 'Potatoes' ] }",
      'I see {"shopping_list":["Potatoes"],"secret_number":43}.',
      "Stored session state: { shopping_list: [ 'Potatoes' ], secret_number: 43 }",
      "=== Overwritten ===",
      'I see {"shopping_list":["Potatoes"]}.',
      "Stored session state: { shopping_list: [ 'Potatoes' ] }",
      'I see {"secret_number":43}.',
      "Stored session state: { secret_number: 43 }",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(
      asStep(() => createAgent(true)),
      "What is in it?",
      { sessionState: { secret_number: 43 } },
    );

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
