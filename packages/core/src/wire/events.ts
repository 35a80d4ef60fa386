/** Types of the events that end a run: the last event of its stream is one of them, or extends one. */
export const endTypes: readonly string[] = [
  "StopEvent",
  "WorkflowFailedEvent",
  "WorkflowTimedOutEvent",
  "WorkflowCancelledEvent",
];

/** Codes with which a run refuses an event or an answer. The client returns them in a receipt. */
export const refusalCodes = ["EVENT_NOT_ACCEPTED", "INBOX_FULL", "PROMPT_CLOSED", "RUN_FINISHED"] as const;
