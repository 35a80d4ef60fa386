/** Workflows as tasks of MCP, from the packed tarballs: without the SDK nothing else of the server misses it. */
import { filesOf, rowOf } from "./setup.mjs";

const install = "npm install --no-audit --no-fund";

export function mcpRows() {
  const commands = [
    `${install} millrace @millrace/server zod`,
    "node without.mjs # without the SDK: 200",
    `${install} @modelcontextprotocol/server@2 @modelcontextprotocol/client@2`,
    "node tasks.mjs # the official client: rested; a task: working, then completed: rested",
  ];
  return [rowOf({ name: "MCP without sessions", files: filesOf("mcp"), commands }, 22)];
}
