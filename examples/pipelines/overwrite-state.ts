// What a run is given is merged with what is stored, or takes its place. `pnpm --filter millrace-examples overwrite-state`
import { Agent, memorySessions } from "@millrace/agents";
import { model } from "./support/model.js";

export function createAgent(overwriteDbSessionState: boolean): Agent {
  return new Agent({
    model: model("gpt-4o-mini", ({ instructions }) => `I see ${instructions.replaceAll(/<.*>|\s/g, "")}.`),
    sessions: memorySessions(),
    sessionState: {}, // what is here comes first in every session, and is never overwritten
    addSessionStateToContext: true, // the instructions get a block with the state
    overwriteDbSessionState,
  });
}

if (import.meta.main) {
  for (const overwrite of [false, true]) {
    const agent = createAgent(overwrite);
    console.log(overwrite ? "=== Overwritten ===" : "=== Merged ===");
    for (const sessionState of [{ shopping_list: ["Potatoes"] }, { secret_number: 43 }]) {
      const { content } = await agent.run("Can you tell me what's in your session_state?", { sessionState });
      console.log(content);
      console.log("Stored session state:", await agent.getSessionState());
    }
  }
}
