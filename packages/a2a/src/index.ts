/**
 * The public surface of `@millrace/a2a`: workflows for other agents.
 *
 * @module
 */

// ---- workflows for other agents
export { a2aHandler } from "./a2a-handler.js";
export type { A2aHandler, A2aOptions, AnyRuntime } from "./a2a-handler.js";
export { schemasUri } from "./card/agent-card.js";
export type { CardFacts } from "./card/agent-card.js";
export type { Skill } from "./requests/task-host.types.js";
export type { TaskMessage } from "./message/message-input.js";
export type { MapEvent, ShownArtifact } from "./tasks/artifacts.js";
export type { QuestionData } from "./message/question.types.js";

// ---- push notifications
export { pushNotifications } from "./push/push-notifications.js";
export type { PushNotifications } from "./push/push-notifications.js";
export type { AllowReceiver, PushOptions } from "./push/push-notifications.types.js";
