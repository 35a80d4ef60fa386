// One session, five runs, a file: each run begins with what the ones before have left. `pnpm --filter millrace-examples agent-state-over-runs`
import { Agent, type AgentSessions, memorySessions, type SessionState, storeSessions, tool } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import * as z from "zod";
import { call, model, type Question } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

const listIn = (state: SessionState) => state["shopping_list"] as string[];
const same = (one: string) => (other: string) => one.toLowerCase() === other.toLowerCase();
const oneItem = z.object({ item: z.string() });

const addItem = tool({
  name: "add_item",
  description: "Add an item to the shopping list and return confirmation.",
  parameters: oneItem,
  execute: ({ item }, { sessionState }) => {
    const list = listIn(sessionState);
    if (list.some(same(item))) return `'${item}' is already in the shopping list`;
    list.push(item);
    return `Added '${item}' to the shopping list`;
  },
});

const removeItem = tool({
  name: "remove_item",
  description: "Remove an item from the shopping list by name.",
  parameters: oneItem,
  execute: ({ item }, { sessionState }) => {
    const list = listIn(sessionState);
    const index = list.findIndex(same(item));
    if (index < 0) return `'${item}' was not found in the shopping list`;
    return `Removed '${list.splice(index, 1)[0]}' from the shopping list`;
  },
});

const listItems = tool({
  name: "list_items",
  description: "List all items in the shopping list.",
  execute: (_args, { sessionState }) => {
    const list = listIn(sessionState);
    if (list.length === 0) return "The shopping list is empty.";
    return `Current shopping list:\n${list.map((item) => `- ${item}`).join("\n")}`;
  },
});

/** It knows the list from its instructions, as a real model does. */
function manage({ instructions, message, toolResults }: Question) {
  if (toolResults.length > 0) return toolResults.join("\n");
  const named = message.match(/milk|eggs|bread|apples|oranges|bananas|yogurt/g) ?? [];
  const listed = JSON.parse(/Current shopping list: (.*)/.exec(instructions)?.[1] ?? "[]") as string[];
  const add = named.map((item) => call("add_item", { item }));
  if (/clear/i.test(message)) return [...listed.map((item) => call("remove_item", { item })), ...add];
  if (/i got/i.test(message)) return named.map((item) => call("remove_item", { item }));
  return add.length > 0 ? add : [call("list_items")];
}

export function createAgent(sessions: AgentSessions = memorySessions()): Agent {
  return new Agent({
    model: model("gpt-5-mini", manage),
    sessionState: { shopping_list: [] },
    sessions,
    tools: [addItem, removeItem, listItems],
    instructions: `Your job is to manage a shopping list.

The shopping list starts empty. You can add items, remove items by name, and list all items.

Current shopping list: {shopping_list}`,
  });
}

if (import.meta.main) {
  const store = sqliteStore(temporaryFile("agents.db"));
  const agent = createAgent(storeSessions(store));
  for (const request of [
    "Add milk, eggs, and bread to the shopping list",
    "I got bread",
    "I need apples and oranges",
    "whats on my list?",
    "Clear everything from my list and start over with just bananas and yogurt",
  ]) {
    const { content } = await agent.run(request);
    console.log(`> ${request}\n${content}`);
    console.log("Session state:", await agent.getSessionState(), "\n");
  }
  await store.close();
}
