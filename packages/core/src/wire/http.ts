/**
 * Paths, headers and names of the HTTP API, each once.
 *
 * @module
 */

/** Paths, with their parameters in braces. `GET handler` is one run; `POST events` sends it an event, `GET events` is its stream. */
export const paths = {
  handlers: "/handlers",
  counts: "/handlers/counts",
  handler: "/handlers/{id}",
  cancel: "/handlers/{id}/cancel",
  resume: "/handlers/{id}/resume",
  retry: "/handlers/{id}/retry",
  fork: "/handlers/{id}/fork",
  history: "/handlers/{id}/history",
  attempts: "/handlers/{id}/attempts",
  moment: "/handlers/{id}/at/{tick}",
  snapshot: "/handlers/{id}/snapshot",
  prompts: "/handlers/{id}/prompts",
  answer: "/handlers/{id}/prompts/{promptId}",
  events: "/events/{id}",
  workflows: "/workflows",
  start: "/workflows/{name}/run-nowait",
  schema: "/workflows/{name}/schema",
  workflowEvents: "/workflows/{name}/events",
  representation: "/workflows/{name}/representation",
  schedules: "/schedules",
  schedule: "/schedules/{name}",
  pauseSchedule: "/schedules/{name}/pause",
  resumeSchedule: "/schedules/{name}/resume",
  occurrences: "/schedules/{name}/next",
  sessions: "/sessions",
  session: "/sessions/{id}",
  config: "/studio/config",
  health: "/health",
} as const;

/** Paths that the client does not ask for. */
export const otherPaths = {
  run: "/workflows/{name}/run",
  result: "/results/{id}",
  source: "/workflows/{name}/steps/{step}/source",
  metrics: "/metrics",
  tick: "/tick",
} as const;

/** The parameters of a path. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

export const headers = {
  /** A second request with the same key is the first one. */
  idempotencyKey: "idempotency-key",
  /** Where a stream continues. */
  lastEventId: "last-event-id",
} as const;

/** Types of the Server-Sent Events of the list of runs. */
export type ListEventType = "open" | "changed" | "gone" | "reset";

/** The type of the Server-Sent Event after which a history has ended. */
export const historyEnd = "end";

/** Types of the events that end a run, of which the last event of its stream is one, or extends one. */
export const endTypes: readonly string[] = [
  "StopEvent",
  "WorkflowFailedEvent",
  "WorkflowTimedOutEvent",
  "WorkflowCancelledEvent",
];

/** Codes with which a run refuses an event or an answer. The client gives them as a receipt. */
export const refusalCodes = ["EVENT_NOT_ACCEPTED", "INBOX_FULL", "PROMPT_CLOSED", "RUN_FINISHED"] as const;
