// The model keeps the state itself, without a tool of yours. `pnpm --filter millrace-examples agentic-state`
import { Agent, type AgentSessions, memorySessions, storeSessions } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { call, model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

export function createAgent(sessions: AgentSessions = memorySessions()): Agent {
  return new Agent({
    sessions,
    model: model("gpt-5-mini", ({ message, toolResults }) => {
      if (toolResults.length > 0) return `Done. ${toolResults.join(" ")}`;
      const items = message.match(/milk|eggs|bread/g) ?? [];
      return [call("update_session_state", { session_state_updates: { shopping_list: items } })];
    }),
    sessionState: { shopping_list: [] },
    addSessionStateToContext: true, // the model sees the state …
    enableAgenticState: true, // … and has the tool `update_session_state` to set it
  });
}

if (import.meta.main) {
  const store = sqliteStore(temporaryFile("agents.db"));
  const agent = createAgent(storeSessions(store));
  const { content, sessionState } = await agent.run("Add milk, eggs, and bread to the shopping list");
  console.log(content);
  console.log("Session state:", sessionState);
  await store.close();
}
