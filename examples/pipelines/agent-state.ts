// An agent alone, with a state that its tool changes and its instructions show. `pnpm --filter millrace-examples agent-state`
import { Agent, type AgentSessions, memorySessions, storeSessions, tool } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import * as z from "zod";
import { call, model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

const addItem = tool({
  name: "add_item",
  description: "Add an item to the shopping list.",
  parameters: z.object({ item: z.string() }),
  // The model gives the arguments; the state comes from the agent, and the model sees nothing of it.
  execute: ({ item }, { sessionState }) => {
    const list = sessionState["shopping_list"] as string[];
    list.push(item);
    return `The shopping list is now ${list.join(", ")}.`;
  },
});

export function createAgent(sessions: AgentSessions = memorySessions()): Agent {
  return new Agent({
    model: model("gpt-5-mini", ({ message, toolResults }) => {
      if (toolResults.length > 0) return toolResults.at(-1) ?? "";
      return (message.match(/milk|eggs|bread/g) ?? []).map((item) => call("add_item", { item }));
    }),
    sessions, // where sessions and their state are kept
    sessionState: { shopping_list: [] }, // what a new session begins with
    tools: [addItem],
    instructions: "Current state (shopping list) is: {shopping_list}",
  });
}

if (import.meta.main) {
  const store = sqliteStore(temporaryFile("agents.db"));
  const agent = createAgent(storeSessions(store));
  for await (const event of agent.stream("Add milk, eggs, and bread to the shopping list")) {
    if (event.event === "ToolCallStarted")
      console.log(`${event.tool.toolName}(${JSON.stringify(event.tool.toolArgs)})`);
    if (event.event === "RunContent") process.stdout.write(event.content);
  }
  console.log("\nFinal session state:", await agent.getSessionState());
  await store.close();
}
