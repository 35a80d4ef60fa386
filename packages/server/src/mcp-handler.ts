/**
 * `@millrace/server/mcp-handler`: workflows as tools and tasks of the Model Context Protocol, without sessions.
 *
 * @module
 */
export { mcpHandler } from "./mcp/stateless/mcp-handler.js";
export type { McpHandler, McpHandlerOptions } from "./mcp/stateless/mcp-handler.js";
