/**
 * `@millrace/server/door`: what is in front of every protocol that packages speak: the origin of a request, its
 * sender, its body and the form of errors.
 *
 * @module
 */
export { createDoor, doorRules } from "./door/create-door.js";
export type { Door, DoorOptions } from "./door/create-door.js";
export type { DoorCaller, DoorPath, MountedDoor } from "./door/mounted-door.types.js";
export type { Right, Rights } from "./guard/rights.js";
export { withAuth } from "./options.js";
export { explainError, refusalError } from "./http/answer-error.js";
export type { ExplainedError, FailedRequest } from "./http/answer-error.js";
export { cleanJson } from "./http/clean-text.js";
export { HttpError, wrongMethod } from "./http/http-error.js";
export type { HttpErrorOptions, Issue } from "./http/http-error.js";

// ---- what workflows take and ask
export { anyEventJsonSchema, eventJsonSchema } from "./wire/event-schema.js";
export type { JsonSchema } from "./wire/event-schema.js";
export { resultEnvelope } from "./wire/envelope.js";
export { toPrompt } from "./wire/handler-record.js";
export { WorkflowCatalog } from "./wire/workflow-facts.js";
export type { CatalogOptions, WorkflowFacts } from "./wire/workflow-facts.js";
// ---- runs as conversations
export { Answers } from "./shown/answers.js";
export type { ReadAnswer, TurnStatus } from "./shown/answers.js";
export { Conversations, newConversation } from "./shown/conversations.js";
export type { Conversation, ConversationsOf, NewTurn, StoredTurn, TurnEntry } from "./shown/conversations.js";
export { AgentCalls } from "./shown/agent-calls.js";
export type { CallsView, ShownCall, Usage } from "./shown/agent-calls.js";
export type { CallPlace } from "./shown/call-place.js";
export { isForPerson, UntilWaiting } from "./shown/until-waiting.js";
export { agentQuestion, codeOf, resultText, timedOut } from "./shown/run-facts.js";
