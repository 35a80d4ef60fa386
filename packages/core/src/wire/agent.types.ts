/** What agents show of themselves, in the pieces and the questions of a run. */

/**
 * What an agent shows while it works: a piece of a `PiecesEvent`, whose `call` says which model call or tool call has written it. When
 * that call is made again, its earlier pieces do not count.
 */
export type AgentPart =
  /** The agent that speaks from here on. */
  | { readonly type: "agent"; readonly name: string }
  | { readonly type: "text"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning"; readonly id: string; readonly text: string }
  /** The model begins to write the arguments of a call. */
  | { readonly type: "tool-begin"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool-input"; readonly toolCallId: string; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      /** The provider of the model makes the call itself; its result comes with the words of the model. */
      readonly providerExecuted?: true;
    }
  | { readonly type: "tool-result"; readonly toolCallId: string; readonly output: unknown }
  /** What a tool shows before its result. */
  | { readonly type: "tool-data"; readonly toolCallId: string; readonly data: unknown }
  | { readonly type: "tool-error"; readonly toolCallId: string; readonly error: string }
  /** A person, a guard or a deadline has refused the call. */
  | { readonly type: "tool-denied"; readonly toolCallId: string; readonly note: string | null }
  | { readonly type: "file"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "source"; readonly id: string; readonly url: string; readonly title?: string }
  /** The answer of the model has ended. */
  | {
      readonly type: "end";
      readonly finishReason: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
    };

/** `details` of the `QuestionEvent` of an agent. */
export interface AgentQuestion {
  /** `permission`: may the call be made? `result`: what does the tool return? `guard`: may this value pass? */
  readonly kind: "permission" | "result" | "guard";
  /** Unique among the open questions of the run. */
  readonly id: string;
  /** Name of the agent that asks. */
  readonly agent: string;
  readonly toolCallId: string | null;
  readonly toolName: string | null;
  /** Arguments of the call, or the value that a guard has stopped. */
  readonly input: unknown;
  /** Why the question comes again, or why it comes at all. */
  readonly problem: string | null;
}
