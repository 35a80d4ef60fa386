/** Options of pipelines and runs, checked at the door. */
import { type OptionNames, unknownOptions } from "millrace/engine";
import { historyProblems, refuse } from "../nodes/option-problems.js";
import type { PipelineOptions, PipelineRunOptions } from "./pipeline-options.js";

const ofPipeline: OptionNames<PipelineOptions> = {
  name: true,
  id: true,
  description: true,
  steps: true,
  store: true,
  sessionId: true,
  userId: true,
  sessionState: true,
  overwriteDbSessionState: true,
  inputSchema: true,
  dependencies: true,
  metadata: true,
  addWorkflowHistoryToSteps: true,
  numHistoryRuns: true,
  agent: true,
  streamEvents: true,
  streamExecutorEvents: true,
  storeEvents: true,
  eventsToSkip: true,
  storeExecutorOutputs: true,
};

const ofRun: OptionNames<PipelineRunOptions> = {
  runId: true,
  sessionId: true,
  userId: true,
  sessionState: true,
  additionalData: true,
  dependencies: true,
  metadata: true,
  streamEvents: true,
  streamExecutorEvents: true,
  images: true,
  videos: true,
  audio: true,
  files: true,
};

/** @throws {WorkflowError} `OPTION_INVALID` naming all that is wrong. */
export function checkOptions(options: Omit<PipelineOptions, "inputSchema">): void {
  const { name, steps, numHistoryRuns } = options;
  const isNamed = typeof name === "string" && name !== "";
  refuse(
    `The pipeline ${isNamed ? `"${name}" ` : ""}cannot be made`,
    unknownOptions(options, ofPipeline),
    isNamed ? [] : ["its `name` is no text"],
    Array.isArray(steps) ? [] : ["its `steps` are no list"],
    historyProblems(numHistoryRuns),
  );
}

/** @throws {WorkflowError} `OPTION_INVALID` naming all that is wrong. */
export function checkRunOptions(pipeline: string, options: PipelineRunOptions): void {
  refuse(`The run of the pipeline "${pipeline}" cannot begin`, unknownOptions(options, ofRun));
}
