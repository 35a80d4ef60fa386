/**
 * Options that shape the loop of an agent: which calls it makes, who may refuse them, and when it ends.
 *
 * @module
 */

import type { StepMetricsData } from "@millrace/executor";
import type { LanguageModel, LanguageModelCallOptions, ModelMessage, ToolChoice, ToolSet } from "ai";
import type { RecordMode } from "./record.types.js";
import type { RunContext } from "./run-context.types.js";

/** Temperature, token limits and the like, as the AI SDK takes them. */
export type ModelSettings = LanguageModelCallOptions & {
  readonly headers?: Record<string, string>;
  readonly providerOptions?: NonNullable<ModelMessage["providerOptions"]>;
};

/** A call that the model has made, with its arguments as JSON. */
export interface ModelToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** One answer of the model: its text and its calls. */
export interface ModelTurn {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: string;
  readonly metrics: StepMetricsData;
}

/**
 * Ends the loop after a round of tools. Conditions of the AI SDK that look at the number of steps or at tool calls fit, such as
 * `hasToolCall("done")`. It is asked again when a run is resumed, so it depends on `steps` only.
 */
export type StopRule = (info: { readonly steps: readonly ModelTurn[] }) => boolean | PromiseLike<boolean>;

/** Facts about the next model call, for `prepareStep`. */
export interface StepToPrepare {
  /** Number of the model call, from 0. */
  readonly stepNumber: number;
  readonly steps: readonly ModelTurn[];
  readonly messages: readonly ModelMessage[];
  readonly runContext: RunContext;
}

/** Changes of one model call. What is left out stays as it is. */
export interface PreparedStep {
  readonly model?: LanguageModel;
  readonly instructions?: string;
  readonly messages?: readonly ModelMessage[];
  /** Names of the tools that this call may use. */
  readonly activeTools?: readonly string[];
  readonly toolChoice?: ToolChoice<ToolSet>;
  readonly modelSettings?: ModelSettings;
}

/** Changes the next model call. It runs inside the recorded call, so not again for a call that was answered. */
export type PrepareStep = (
  step: StepToPrepare,
) => PreparedStep | undefined | void | PromiseLike<PreparedStep | undefined | void>;

/** What a guard decides. Nothing: the value passes. */
export type Verdict<Value> =
  | { readonly refuse: string }
  | { readonly change: Value }
  /** A person decides; the text is the question. */
  | { readonly ask: string };

type Guard<Value> = (
  value: Value,
  context: RunContext,
) => Verdict<Value> | undefined | void | PromiseLike<Verdict<Value> | undefined | void>;

/** A tool call that has been made. */
export interface ModelToolResult extends ModelToolCall {
  readonly output: unknown;
}

/** Checks around the calls of an agent. Each decision is recorded, and made once. */
export interface Guards {
  /** The text of the input, before the first model call. A refusal ends the run with `AGENT_REFUSED`. */
  readonly input?: Guard<string>;
  /** The content of the answer. A refusal ends the run with `AGENT_REFUSED`. */
  readonly output?: Guard<unknown>;
  /** The arguments of a tool call. The model reads a refusal; `ask` asks a person for permission. */
  readonly toolInput?: (call: ModelToolCall, context: RunContext) => ReturnType<Guard<unknown>>;
  /** The output of a tool. The model reads a refusal in its place. */
  readonly toolOutput?: (result: ModelToolResult, context: RunContext) => ReturnType<Guard<unknown>>;
}

/** What was asked of a model. In the record of a call only what differs from the call before; `messages` without files. */
export interface AskedOfModel {
  /** Provider and id. */
  readonly model?: string;
  readonly instructions?: string | null;
  readonly settings?: ModelSettings;
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly schema: unknown }[];
  readonly toolChoice?: ToolChoice<ToolSet> | null;
  /**
   * The whole conversation of the first call, and of each call for which `prepareStep` has changed it. Else it follows from the records
   * before: the answers and the results of tools.
   */
  readonly messages?: readonly ModelMessage[];
  /** Only in a record that does not have the whole request. */
  readonly record?: Exclude<RecordMode, "full">;
}
