/** The wishes of a person for a step that runs again. */
export interface RetryFeedback {
  readonly previousOutput?: unknown;
  readonly feedback?: string;
}

/** What people said to a step before it ran. */
export interface HumanInput {
  /** Values of the fields that the step asked for. */
  readonly userInput?: Readonly<Record<string, unknown>>;
  /** Present when the step runs again because its output was rejected. */
  readonly retryFeedback?: RetryFeedback;
}
