/**
 * `@millrace/ai-sdk/client`: what a page with `useChat` needs besides the AI SDK.
 *
 * @module
 */
export { ChatTransport } from "./client/chat-transport.js";
export type { ChatTransportOptions } from "./client/chat-transport.js";
export { isAnswered, isOver } from "./client/is-answered.js";
