/**
 * `@millrace/server/door`: what is in front of every protocol that packages speak: the origin of a request, its
 * sender, its body and the form of errors.
 *
 * @module
 */
export { createDoor, doorRules } from "./door/create-door.js";
export type { Door, DoorOptions } from "./door/create-door.js";
export type { DoorCaller, MountedDoor } from "./door/mounted-door.types.js";
export { withAuth } from "./options.js";
export { HttpError, wrongMethod } from "./http/http-error.js";
export type { HttpErrorOptions, Issue } from "./http/http-error.js";

// ---- runs as conversations
export { Answers } from "./shown/answers.js";
export type { ReadAnswer, TurnStatus } from "./shown/answers.js";
export { Conversations } from "./shown/conversations.js";
export type { Conversation, ConversationsOf, NewTurn, StoredTurn, TurnEntry } from "./shown/conversations.js";
export { AgentCalls } from "./shown/agent-calls.js";
export type { CallsView, ShownCall, Usage } from "./shown/agent-calls.js";
export type { CallPlace } from "./shown/call-place.js";
export { isForPerson, UntilWaiting } from "./shown/until-waiting.js";
export { agentQuestion, codeOf, resultText, timedOut } from "./shown/run-facts.js";
