// One agent, two users: `sessionId` chooses the state of a run. `pnpm --filter millrace-examples switch-sessions`
import { Agent, type AgentSessions, memorySessions, storeSessions } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

export function createAgent(sessions: AgentSessions = memorySessions()): Agent {
  return new Agent({
    sessions,
    model: model("gpt-5-mini", ({ instructions, message }) => {
      const [, name, age] = /name is (\S+) and age is (\S+)/.exec(instructions) ?? [];
      return /name/.test(message) ? `Your name is ${name}.` : `You are ${age} years old.`;
    }),
    instructions: "Users name is {user_name} and age is {age}",
  });
}

if (import.meta.main) {
  const store = sqliteStore(temporaryFile("agents.db"));
  const agent = createAgent(storeSessions(store));
  const john = { sessionId: "user_1_session_1", userId: "user_1" };
  const jane = { sessionId: "user_2_session_1", userId: "user_2" };

  // The first run of a session sets its state, the next one loads it.
  const runs = [
    agent.run("What is my name?", { ...john, sessionState: { user_name: "John", age: 30 } }),
    agent.run("What is my name?", { ...jane, sessionState: { user_name: "Jane", age: 25 } }),
  ];
  for (const { userId, content } of await Promise.all(runs)) console.log(`${userId}: ${content}`);
  for (const user of [john, jane]) {
    const { userId, content } = await agent.run("How old am I?", user);
    console.log(`${userId}: ${content}`);
  }
  console.log(await agent.getSessionState(john.sessionId));

  // A session belongs to the user who first ran in it.
  await agent
    .run("How old am I?", { ...john, userId: "user_2" })
    .catch((error) => console.log(`${error.code}: ${error.message}`));
  await store.close();
}
