import "./support/offline.js";
import { join } from "node:path";
import { storeSessions } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { temporaryFolder } from "../test/temporary-folder.js";
import { createAgent } from "./agent-state-over-runs.js";
import { asStep, prove } from "./support/prove.js";

describe("agent state over runs", () => {
  it("goes on from run to run", async () => {
    const { output } = await runExample("pipelines/agent-state-over-runs.ts");

    expect(output.split("\n")).toEqual([
      "> Add milk, eggs, and bread to the shopping list",
      "Added 'milk' to the shopping list",
      "Added 'eggs' to the shopping list",
      "Added 'bread' to the shopping list",
      "Session state: { shopping_list: [ 'milk', 'eggs', 'bread' ] } ",
      "",
      "> I got bread",
      "Removed 'bread' from the shopping list",
      "Session state: { shopping_list: [ 'milk', 'eggs' ] } ",
      "",
      "> I need apples and oranges",
      "Added 'apples' to the shopping list",
      "Added 'oranges' to the shopping list",
      "Session state: { shopping_list: [ 'milk', 'eggs', 'apples', 'oranges' ] } ",
      "",
      "> whats on my list?",
      "Current shopping list:",
      "- milk",
      "- eggs",
      "- apples",
      "- oranges",
      "Session state: { shopping_list: [ 'milk', 'eggs', 'apples', 'oranges' ] } ",
      "",
      "> Clear everything from my list and start over with just bananas and yogurt",
      "Removed 'milk' from the shopping list",
      "Removed 'eggs' from the shopping list",
      "Removed 'apples' from the shopping list",
      "Removed 'oranges' from the shopping list",
      "Added 'bananas' to the shopping list",
      "Added 'yogurt' to the shopping list",
      "Session state: { shopping_list: [ 'bananas', 'yogurt' ] } ",
      "",
      "",
    ]);
  });

  it("goes on in another process, from the file", async () => {
    const file = join(temporaryFolder("agents-"), "agents.db");
    const inOneProcess = async (request: string) => {
      const store = sqliteStore(file);
      const { sessionState } = await createAgent(storeSessions(store)).run(request, { sessionId: "ada" });
      await store.close();
      return sessionState;
    };

    await inOneProcess("Add milk and eggs");

    expect(await inOneProcess("I got milk")).toEqual({ shopping_list: ["eggs"] });
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(asStep(createAgent), "I need apples and oranges");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
