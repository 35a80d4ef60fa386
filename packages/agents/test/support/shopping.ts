import { z } from "zod";
import { type AgentTool, type SessionState, tool } from "../../src/index.js";

export const listOf = (state: SessionState): string[] => state["shopping_list"] as string[];

export const addItem: AgentTool = tool({
  name: "add_item",
  description: "Add an item to the shopping list and return confirmation.",
  parameters: z.object({ item: z.string() }),
  execute: ({ item }, { sessionState }) => {
    const list = listOf(sessionState);
    if (list.some((other) => other.toLowerCase() === item.toLowerCase())) {
      return `'${item}' is already in the shopping list`;
    }
    list.push(item);
    return `Added '${item}' to the shopping list`;
  },
});

export const removeItem: AgentTool = tool({
  name: "remove_item",
  description: "Remove an item from the shopping list by name.",
  parameters: z.object({ item: z.string() }),
  execute: ({ item }, { runContext }) => {
    const list = listOf(runContext.sessionState);
    const index = list.findIndex((other) => other.toLowerCase() === item.toLowerCase());
    if (index < 0) return `'${item}' was not found in the shopping list`;
    return `Removed '${list.splice(index, 1)[0]}' from the shopping list`;
  },
});

export const listItems: AgentTool = tool({
  name: "list_items",
  description: "List all items in the shopping list.",
  execute: (_args, { sessionState }) => {
    const list = listOf(sessionState);
    return list.length === 0
      ? "The shopping list is empty."
      : `Current shopping list:\n${list.map((item) => `- ${item}`).join("\n")}`;
  },
});

/** Replaces the whole object, as programs do that start with "if it is empty, make one". */
export const removeAllItems: AgentTool = tool({
  name: "remove_all_items",
  description: "Remove all items from the shopping list.",
  execute: (_args, { runContext }) => {
    runContext.sessionState = { ...runContext.sessionState, shopping_list: [] };
    return "Removed all items from the shopping list.";
  },
});
