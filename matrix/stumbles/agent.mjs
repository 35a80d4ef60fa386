import { filesOf } from "../setup.mjs";
import { documented, install } from "./checks.mjs";

/** Writes an agent, and looks for a chat. */
export const writesAnAgent = {
  name: "5: writes an agent, and looks for a chat",
  files: filesOf("strangers/s5"),
  install: [`${install} millrace @millrace/agents @millrace/pipeline @millrace/print ai@7 zod`],
  stumbles: [
    {
      typed: "3: grep useChat",
      command: "grep -rl useChat node_modules/millrace/docs node_modules/millrace/README.md",
      says: /show-an-agent-in-a-chat\.md/,
    },
    {
      typed: "3: an app to copy",
      command: `grep -oE 'create millrace my-chat[^\`]*|a chat in Next' node_modules/millrace/docs/how-to/show-an-agent-in-a-chat.md`,
      says: /template chat .*a chat in Next/,
    },
    { typed: "continueRun(run, answers)", command: "node agent.mjs", says: /PAUSED, continued: Paid\./ },
    {
      typed: "continueRun(run, answers): the page",
      command: documented("how-to/agents.md", "continueRun\\(run, \\[[^]]*\\]"),
      says: /toolCallId, approved: true/,
    },
    { typed: "pipeline.stream(…)", command: "node pipeline.mjs", says: /streamed: WorkflowCompleted/ },
    { typed: "printPipelineResponse", command: "node pipeline.mjs", says: /step_1 # rivers/, never: /SyntaxError/ },
  ],
};
