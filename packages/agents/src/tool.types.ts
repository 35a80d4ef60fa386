import type { z } from "zod";
import type { Media } from "@millrace/pipeline/executor";
import type { RunContext, SessionState } from "./run-context.types.js";

/** The second argument of a tool. The model sees nothing of it. */
export interface ToolContext {
  readonly runContext: RunContext;
  /** The same as `runContext.sessionState`: change it in place or assign another object. */
  sessionState: SessionState;
  readonly signal: AbortSignal;
  readonly toolCallId: string;
  /**
   * The same when a retried or resumed run calls the tool again with the same arguments. Hand it to services that do a
   * thing once per key.
   */
  readonly idempotencyKey: string;
  /** Adds a picture, video, sound or file to what the run produces. */
  addMedia(media: Media): void;
}

/** What a rule for confirmations knows. */
export type ConfirmationContext = Pick<ToolContext, "runContext" | "sessionState" | "signal" | "toolCallId">;

export interface ToolOptions<Parameters extends z.ZodType> {
  /** Letters, digits, `_` and `-`: up to 64. */
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** A zod object. Without it the tool takes no arguments. */
  readonly parameters?: Parameters;
  /** Text, or data that becomes JSON. What it throws is told to the model, which may try something else. */
  readonly execute: (args: z.output<Parameters>, context: ToolContext) => unknown;
  /**
   * A person has to allow the call: the run pauses until then. A function decides for each call, and
   * again when the run goes on; what it throws ends the run.
   *
   * @default false
   */
  readonly requiresConfirmation?:
    | boolean
    | ((args: z.output<Parameters>, context: ConfirmationContext) => boolean | Promise<boolean>);
}

/** Made by {@link tool}. */
export interface AgentTool {
  readonly kind: "tool";
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType;
  readonly execute: (args: any, context: ToolContext) => unknown;
  readonly requiresConfirmation: boolean | ((args: any, context: ConfirmationContext) => boolean | Promise<boolean>);
}
