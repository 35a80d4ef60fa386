import { type ConversationalAgent, type DecideRequest, type DecideResult, historyRuns } from "@millrace/executor";
import type { LanguageModel } from "ai";
import { type Rules, unchecked, wholeNumber } from "millrace/engine";
import { check, languageModel } from "./settings/check-options.js";
import { resolveOptions } from "./agent-options.js";
import { type Decider, decide, runWorkflow } from "./pipeline-agent/decide.js";
import type { ReadFile } from "./settings/media-part.js";

export interface PipelineAgentOptions {
  /** Any language model of the AI SDK that can call tools. */
  readonly model: LanguageModel;
  /**
   * Replaces the default instructions. A description of the pipeline and its earlier runs is put in place of
   * `{workflow_context}`, or at the end.
   */
  readonly instructions?: string;
  /** Includes earlier runs of the session in the prompt. @default true */
  readonly addHistory?: boolean;
  /** How many earlier runs to include; `null` for all. @default 5 */
  readonly numHistoryRuns?: number | null;
  /** Retries of a failed model call, as for agents. @default 2 */
  readonly maxRetries?: number;
  /** Name in events and errors. @default "pipeline-agent" */
  readonly name?: string;
  /** Reads media that have a `filepath`, for example `readFile` of `node:fs/promises`. */
  readonly readFile?: ReadFile;
}

const rules: Rules<PipelineAgentOptions> = {
  model: languageModel,
  numHistoryRuns: (count, option) => (count === null ? [] : historyRuns(count, option)),
  maxRetries: wholeNumber(0),
  ...unchecked("instructions addHistory name readFile"),
};

/**
 * Makes a pipeline conversational. The agent answers from earlier runs where it can; otherwise it decides which query
 * the pipeline runs with.
 *
 * @example
 * ```ts
 * const pipeline = new Pipeline({ name: "Research", agent: new PipelineAgent({ model }), steps: [search, write] });
 * ```
 */
export class PipelineAgent implements ConversationalAgent {
  readonly kind = "pipeline-agent";
  readonly name: string;
  readonly addHistory: boolean;
  readonly numHistoryRuns: number | null;
  readonly #decider: Decider;

  /** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
  constructor(options: PipelineAgentOptions) {
    const { model, instructions, name = "pipeline-agent", maxRetries = 2, readFile } = options;
    const { addHistory = true, numHistoryRuns = 5 } = options;
    check(name, options, { rules });
    this.name = name;
    this.addHistory = addHistory;
    this.numHistoryRuns = numHistoryRuns;
    const once = { maxSteps: 1, stopWhen: () => true, tools: [runWorkflow] };
    const given = { name, model, maxRetries, ...once, ...(readFile !== undefined && { readFile }) };
    const settings = resolveOptions(given, { kind: "agent", members: [], memberText: "" });
    this.#decider = { settings, instructions, addHistory };
  }

  /** Calls the model once and never runs the pipeline. Never rejects: a failure is part of the result. */
  decide(request: DecideRequest): Promise<DecideResult> {
    return decide(this.#decider, request);
  }
}
