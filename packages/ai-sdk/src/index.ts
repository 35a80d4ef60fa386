/**
 * The public surface of `@millrace/ai-sdk`.
 *
 * @module
 */

// ---- chats
export { chatHandler } from "./chat-handler.js";
export type { AnyRuntime, ChatHandler, ChatOptions } from "./chat-handler.js";
export type { ChatInput, ChatTurn } from "./chat/chat-input.js";

// ---- any run as a message
export { toUIMessageStream } from "./to-ui-message-stream.js";
export type { MessageStreamOptions } from "./to-ui-message-stream.js";
export type { MapEvent } from "./stream/run-message.js";
export type { QuestionData } from "./stream/questions.js";
export type { Usage } from "@millrace/server/door";
