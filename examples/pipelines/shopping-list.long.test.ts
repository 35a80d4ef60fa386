import "./support/offline.js";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { temporaryFolder } from "../test/temporary-folder.js";
import { createShopping } from "./shopping-list.js";
import { prove } from "./support/prove.js";

describe("shopping list", () => {
  it("prints the list after each of four runs", async () => {
    const { output } = await runExample("pipelines/shopping-list.ts");

    expect(output.split("\n")).toEqual([
      "=== Example 1: Adding Items ===",
      "Shopping List Workflow",
      "Input: Please add milk, bread, and eggs to my shopping list.",
      "",
      "── manage_items",
      "Added 'milk' to the shopping list.",
      "Added 'bread' to the shopping list.",
      "Added 'eggs' to the shopping list.",
      "",
      "── view_list",
      "Shopping list:",
      "- milk",
      "- bread",
      "- eggs",
      "Workflow session state: { shopping_list: [ 'milk', 'bread', 'eggs' ] } ",
      "",
      "=== Example 2: Adding More Items ===",
      "Shopping List Workflow",
      "Input: Add apples and bananas to the list, then show me the complete list.",
      "",
      "── manage_items",
      "Added 'apples' to the shopping list.",
      "Added 'bananas' to the shopping list.",
      "",
      "── view_list",
      "Shopping list:",
      "- milk",
      "- bread",
      "- eggs",
      "- apples",
      "- bananas",
      "Workflow session state: { shopping_list: [ 'milk', 'bread', 'eggs', 'apples', 'bananas' ] } ",
      "",
      "=== Example 3: Removing Items ===",
      "Shopping List Workflow",
      "Input: Remove bread from the list and show me what's left.",
      "",
      "── manage_items",
      "Removed 'bread' from the shopping list.",
      "",
      "── view_list",
      "Shopping list:",
      "- milk",
      "- eggs",
      "- apples",
      "- bananas",
      "Workflow session state: { shopping_list: [ 'milk', 'eggs', 'apples', 'bananas' ] } ",
      "",
      "=== Example 4: Clearing List ===",
      "Shopping List Workflow",
      "Input: Clear the entire shopping list and confirm it's empty.",
      "",
      "── manage_items",
      "Clear the entire shopping list and confirm it's empty.",
      "",
      "── view_list",
      "Removed all items from the shopping list.",
      "Shopping list is empty.",
      "Workflow session state: { shopping_list: [] } ",
      "",
      "",
    ]);
  });

  it("has no item twice", async () => {
    await using shopping = createShopping();
    await shopping.run("Add milk");

    const { stepResults, sessionState } = await shopping.run("Add milk and eggs");

    expect(stepResults[0]?.content).toBe("'milk' is already in the shopping list.\nAdded 'eggs' to the shopping list.");
    expect(sessionState).toEqual({ shopping_list: ["milk", "eggs"] });
  });

  it("has a list for each session", async () => {
    await using shopping = createShopping();
    await shopping.run("Add milk", { sessionId: "ada" });

    const { stepResults } = await shopping.run("Remove milk", { sessionId: "grace" });

    expect(stepResults[0]?.content).toBe("Shopping list is empty. Cannot remove 'milk'.");
  });

  it("has the list that another process has left in the file", async () => {
    const file = join(temporaryFolder("shopping-"), "workflow.db");
    const open = () => createShopping({ store: sqliteStore(file), sessionId: "ada" });
    {
      await using before = open();
      await before.run("Add milk and eggs");
    }

    await using after = open();
    await after.run("Remove milk");

    expect(await after.getSessionState()).toEqual({ shopping_list: ["eggs"] });
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createShopping, "Please add milk, bread, and eggs to my shopping list.");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
