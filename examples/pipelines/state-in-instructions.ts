// `{key}` in instructions becomes a value of the session state. `pnpm --filter millrace-examples state-in-instructions`
import { Agent, type AgentSessions, memorySessions, storeSessions } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

export function createAgent(sessions: AgentSessions = memorySessions()): Agent {
  return new Agent({
    sessions,
    model: model("gpt-5-mini", ({ instructions }) => `Your name is ${/name is (\w+)/.exec(instructions)?.[1]}.`),
    sessionState: { user_name: "John" },
    instructions: "Users name is {user_name}", // a plain string, no template literal: it is filled in anew for each run
  });
}

if (import.meta.main) {
  const store = sqliteStore(temporaryFile("agents.db"));
  const agent = createAgent(storeSessions(store));
  console.log((await agent.run("What is my name?")).content);

  await agent.updateSessionState({ user_name: "Johnny" });
  console.log((await agent.run("What is my name?")).content);
  await store.close();
}
