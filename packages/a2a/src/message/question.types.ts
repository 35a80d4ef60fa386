/** The data of a part of a task that needs input: a question of its run. */
export interface QuestionData {
  /** Names the question in `metadata.promptId` of the answer, where several are open. */
  readonly promptId: string;
  readonly title: string;
  /** What the step says besides; `null` for nothing. */
  readonly details: unknown;
  /** JSON Schema of the answer; `null` where it is not known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Until when an answer is accepted; `null` for no limit. */
  readonly expiresAt: string | null;
}
