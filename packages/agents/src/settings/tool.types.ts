import type { Media } from "@millrace/executor";
import type { Duration } from "millrace";
import type { z } from "zod";
import type { CallPolicies } from "./call-policies.types.js";
import type { RunContext, SessionState } from "./run-context.types.js";

/** Second argument of a tool. The model does not see it. */
export interface ToolContext {
  readonly runContext: RunContext;
  /** The same object as `runContext.sessionState`: change it in place or assign another object. */
  sessionState: SessionState;
  /** Aborts when the run is cancelled, or the call has timed out. */
  readonly signal: AbortSignal;
  readonly toolCallId: string;
  /** Number of this attempt of the call, from 1. */
  readonly attempt: number;
  /**
   * Identifies the call: the same when a retried or resumed run makes the call again with the same arguments. Pass it
   * to services that deduplicate by key.
   */
  readonly idempotencyKey: string;
  /** Adds a picture, video, sound or file to the result of the run. */
  addMedia(media: Media): void;
  /** Shows data to readers of the run while the tool works. */
  show(data: unknown): void;
}

/** The second argument of a function for `requiresConfirmation`. */
export type ConfirmationContext = Pick<ToolContext, "runContext" | "sessionState" | "signal" | "toolCallId">;

/**
 * Options of `tool`.
 *
 * With `retry`, a call that throws is repeated as often as the policy allows, with the same `idempotencyKey`; then the
 * model gets the error. An attempt that takes longer than `timeout` fails with `CALL_TIMEOUT`, and the model gets
 * that error. Attempts are counted over restarts.
 */
export interface ToolOptions<Parameters extends z.ZodType> extends CallPolicies {
  /** Up to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Describes to the model what the tool does and when to use it. */
  readonly description: string;
  /** A zod object. Without it, the tool takes no arguments. */
  readonly parameters?: Parameters;
  /**
   * Returns text, or data that becomes JSON. The model gets an error, and may try something else. A tool without this function is run by
   * the client, such as a page: the run waits for its result.
   */
  readonly execute?: ((args: z.output<Parameters>, context: ToolContext) => unknown) | undefined;
  /**
   * `true`: the run waits until a person has allowed the call. A function decides for each call.
   *
   * @default false
   */
  readonly requiresConfirmation?: ConfirmationRule<z.output<Parameters>> | Confirmation<z.output<Parameters>>;
}

/** Whether a call needs the permission of a person. */
export type ConfirmationRule<Args> =
  | boolean
  | ((args: Args, context: ConfirmationContext) => boolean | Promise<boolean>);

/** A rule, with the effect of no answer. */
export interface Confirmation<Args = any> {
  /** @default true */
  readonly when?: ConfirmationRule<Args>;
  /** How long the question stays open. @default without end */
  readonly timeout?: Duration;
  /** What counts when the time is over. @default "refuse" */
  readonly otherwise?: "allow" | "refuse";
}

/** A tool, as {@link tool} creates it. */
export interface AgentTool extends CallPolicies {
  readonly kind: "tool";
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType;
  readonly execute: ((args: any, context: ToolContext) => unknown) | undefined;
  readonly requiresConfirmation: ConfirmationRule<any> | Confirmation;
}
