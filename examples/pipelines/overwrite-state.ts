// What a run is given is merged with what is stored, or takes its place. `pnpm --filter millrace-examples overwrite-state`
import { Agent, type AgentSessions, memorySessions, storeSessions } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

export function createAgent(overwriteDbSessionState: boolean, sessions: AgentSessions = memorySessions()): Agent {
  return new Agent({
    model: model("gpt-4o-mini", ({ instructions }) => `I see ${instructions.replaceAll(/<.*>|\s/g, "")}.`),
    sessions,
    sessionState: {}, // what is here comes first in every session, and is never overwritten
    addSessionStateToContext: true, // the instructions get a block with the state
    overwriteDbSessionState,
  });
}

if (import.meta.main) {
  const store = sqliteStore(temporaryFile("agents.db"));
  for (const overwrite of [false, true]) {
    const agent = createAgent(overwrite, storeSessions(store));
    console.log(overwrite ? "=== Overwritten ===" : "=== Merged ===");
    for (const sessionState of [{ shopping_list: ["Potatoes"] }, { secret_number: 43 }]) {
      const { content } = await agent.run("Can you tell me what's in your session_state?", { sessionState });
      console.log(content);
      console.log("Stored session state:", await agent.getSessionState());
    }
  }
  await store.close();
}
