/**
 * `@millrace/server/mcp`: workflows as tools of the Model Context Protocol.
 *
 * @module
 */
export { createMcpServer } from "./mcp/create-mcp-server.js";
export type { McpOptions } from "./mcp/create-mcp-server.js";
