import { z } from "zod";
import { assign } from "./state/live-state.js";
import { tool } from "./tool.js";
import type { AgentTool } from "./tool.types.js";

/** The tool with which the model itself changes the session state. */
export const updateSessionStateTool: AgentTool = tool({
  name: "update_session_state",
  description:
    "Update the session state. Every given key is set to its new value as a whole; keys that are not given stay as they are.",
  parameters: z.object({
    session_state_updates: z.record(z.string(), z.unknown()).describe("The keys to set, with their new values."),
  }),
  execute: ({ session_state_updates: updates }, { sessionState }) => {
    for (const [key, value] of Object.entries(updates)) assign(sessionState, key, value);
    return `Updated session state: ${JSON.stringify(sessionState)}`;
  },
});
