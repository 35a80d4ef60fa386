/**
 * Every error code with a one-line title. Each has a page of the same name in `docs/errors/`.
 *
 * Only tests and docs read it at runtime: the titles are not in the bundle.
 *
 * @module
 */
export const catalog = {
  ATTEMPT_ENDED: "A step used its context after its attempt had ended",
  CHILD_FAILED: "A child workflow failed",
  CHILD_UNKNOWN: "`runChild` names a workflow that is not among the children",
  DURATION_INVALID: "A duration cannot be read",
  EVENT_INVALID: "The fields of an event do not fit its schema",
  EVENT_NOT_ACCEPTED: "Nothing in the run takes this event",
  EVENT_NOT_SENDABLE: "An event of this role cannot be sent or streamed",
  EVENT_TYPE_TAKEN: "Two event classes have the same type",
  EVENT_UNDECLARED: "A step used an event that it does not declare",
  EVENT_UNKNOWN: "The workflow knows no event of this type",
  FAN_OUT_DIVERGED: "A repeated step yielded something else than the first time",
  INBOX_FULL: "The run keeps no more events for later",
  INTERNAL: "A fault in Millrace itself",
  KEY_REUSED: "Two `run` calls of one attempt have the same key",
  OPTION_INVALID: "An option has a value that it cannot have",
  PROMPT_CLOSED: "The prompt has been answered or is gone",
  RESOURCE_CYCLE: "Resources need each other in a circle",
  RESOURCE_FAILED: "A resource could not be made or disposed of",
  RUN_CANCELLED: "The run was cancelled",
  RUN_FINISHED: "The run has ended already",
  RUN_LIVE: "The context belongs to a run that is still going",
  RUN_NOT_RETRYABLE: "The run has nothing to retry",
  RUN_STUCK: "The run can never proceed",
  RUN_TIMED_OUT: "The run took longer than its timeout or deadline",
  SCHEMA_ASYNC: "A schema answers with a promise",
  SNAPSHOT_FOREIGN: "The snapshot is of another workflow",
  SNAPSHOT_HOSTILE: "The snapshot has forbidden keys or is too deep or too large",
  SNAPSHOT_INVALID: "This is not a snapshot, or a damaged one",
  SNAPSHOT_MISMATCH: "The snapshot names steps or events that the workflow does not have",
  SNAPSHOT_NEWER: "The snapshot was written by a newer version",
  START_AMBIGUOUS: "The input fits several start events, or none",
  STATE_INVALID: "The state does not fit its schema",
  STATE_LOCKED: "The store was used inside `editState`",
  STATE_PATH: "A path into the state cannot be followed",
  STATE_SCHEMA_CONVERTS: "A state schema changes values instead of checking them",
  STATE_UNSTORABLE: "The state holds something that cannot be stored",
  STEP_FAILED: "A step failed",
  STEP_PLACEMENT: "A step is declared where none can be",
  STEP_RESULT_INVALID: "A step returned something that is no event",
  STEP_TIMEOUT: "A step took longer than its timeout",
  STEP_UNKNOWN: "The workflow has no step of this name",
  STREAM_TRUNCATED: "The stream no longer holds the events asked for",
  VALUE_UNSERIALIZABLE: "A value cannot be stored",
  WAIT_KEY_REQUIRED: "Two waits for one event type need keys to tell them apart",
  WAIT_TIMED_OUT: "No event came before the wait's timeout",
  WORKFLOW_INVALID: "The workflow's graph has mistakes",
} as const;

export type ErrorCode = keyof typeof catalog;
