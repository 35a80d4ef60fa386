/**
 * `@millrace/server/mcp`: workflows as tools of the Model Context Protocol, in sessions.
 *
 * @module
 */
export { createMcpServer } from "./mcp/session/create-mcp-server.js";
export type { McpOptions } from "./mcp/session/create-mcp-server.js";
