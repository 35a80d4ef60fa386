import { expect, it } from "vitest";
import * as agui from "../src/agui.js";
import * as door from "../src/door.js";
import * as surface from "../src/index.js";
import * as mcp from "../src/mcp.js";
import * as handler from "../src/mcp-handler.js";
import * as serverless from "../src/serverless.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual(["bearerAuth", "createHandler", "createServer"]);
  expect(Object.keys(serverless).sort()).toEqual(["bearerAuth", "createHandler"]);
  expect(Object.keys(door).sort()).toEqual(
    `AgentCalls Answers Conversations HttpError UntilWaiting WorkflowCatalog agentQuestion anyEventJsonSchema cleanJson codeOf
     createDoor doorRules eventJsonSchema explainError isForPerson newConversation refusalError resultEnvelope resultText
     timedOut toPrompt withAuth wrongMethod`.split(/\s+/),
  );
  expect(Object.keys(agui)).toEqual(["aguiHandler"]);
  expect(Object.keys(mcp)).toEqual(["createMcpServer"]);
  expect(Object.keys(handler)).toEqual(["mcpHandler"]);
});
