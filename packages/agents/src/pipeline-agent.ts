import type { ConversationalAgent, DecideRequest, DecideResult } from "@millrace/pipeline/executor";
import type { LanguageModel } from "ai";
import { type OptionNames, unknownOptions } from "millrace/engine";
import { countProblem, historyProblem, modelProblem, refuse } from "./check-options.js";
import { type Decider, decideOnce } from "./pipeline-agent/decide-once.js";
import type { ReadFile } from "./run/media-part.js";

export interface PipelineAgentOptions {
  /** Any language model of the AI SDK that can call tools. */
  readonly model: LanguageModel;
  /**
   * Instead of the usual ones. What is known of the pipeline and its earlier runs comes in the place of `{workflow_context}`,
   * or at the end.
   */
  readonly instructions?: string;
  /** Shows it earlier runs of the session. @default true */
  readonly addHistory?: boolean;
  /** How many of them. `null`: all. @default 5 */
  readonly numHistoryRuns?: number | null;
  /** As for agents. @default 2 */
  readonly maxRetries?: number;
  /** @default "pipeline-agent" */
  readonly name?: string;
  /** Reads media that are given as a `filepath`: for example `readFile` of `node:fs/promises`. */
  readonly readFile?: ReadFile;
}

const known: OptionNames<PipelineAgentOptions> = {
  model: true,
  instructions: true,
  addHistory: true,
  numHistoryRuns: true,
  maxRetries: true,
  name: true,
  readFile: true,
};

/**
 * Makes a pipeline a partner in a conversation: it answers from earlier runs where it can, and else says what the pipeline is to
 * run with.
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

  /** @throws {WorkflowError} `OPTION_INVALID` */
  constructor(options: PipelineAgentOptions) {
    const { model, instructions, name = "pipeline-agent", maxRetries = 2, readFile } = options;
    const { addHistory = true, numHistoryRuns = 5 } = options;
    refuse(name, [
      ...unknownOptions(options, known),
      ...modelProblem(model),
      ...countProblem("maxRetries", maxRetries, 0),
      ...(numHistoryRuns === null ? [] : historyProblem(numHistoryRuns)),
    ]);
    this.name = name;
    this.addHistory = addHistory;
    this.numHistoryRuns = numHistoryRuns;
    this.#decider = { kind: "agent", name, model, instructions, addHistory, maxRetries, readFile };
  }

  /** Calls the model once, and never the pipeline. Never rejects: what goes wrong is in the result. */
  decide(request: DecideRequest): Promise<DecideResult> {
    return decideOnce(this.#decider, request);
  }
}
