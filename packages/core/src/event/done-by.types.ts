/** Who has done something from outside, such as an answer or a start, and through which door. */
export interface DoneBy {
  /** The authenticated person or program. Left out: not known. */
  readonly user?: string;
  /** Such as `"api"`, `"http"`, `"link"`, `"chat"`, `"mcp"`. */
  readonly door: string;
}

/** The answer that has closed a prompt. */
export interface PromptAnswer {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** `null`: its sender is not stored. */
  readonly by: DoneBy | null;
}
