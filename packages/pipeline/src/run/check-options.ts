/** Checks the options of pipelines and runs. */

import { WorkflowError } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";
import { assertOptions, historyProblems, refuse, typeProblems } from "../nodes/option-problems.js";
import { assertState, isPlain } from "../session/json.js";
import { reducerProblems } from "../session/reducers.js";
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
  reducers: true,
  overwriteDbSessionState: true,
  inputSchema: true,
  outputSchema: true,
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
  forkState: true,
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

const shared = {
  userId: "text",
  dependencies: "object",
  metadata: "object",
  streamEvents: "boolean",
  streamExecutorEvents: "boolean",
} as const;

const typesOfPipeline = {
  ...shared,
  id: "text",
  description: "text",
  store: "object",
  agent: "object",
  overwriteDbSessionState: "boolean",
  addWorkflowHistoryToSteps: "boolean",
  storeEvents: "boolean",
  storeExecutorOutputs: "boolean",
  forkState: "boolean",
} as const;

const typesOfRun = { ...shared, runId: "text", sessionState: "object", additionalData: "object" } as const;

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkOptions(
  options: Omit<PipelineOptions, "inputSchema" | "outputSchema"> & { readonly outputSchema?: object },
): void {
  assertOptions("The pipeline", options);
  const { name, steps, numHistoryRuns } = options;
  const isNamed = typeof name === "string" && name !== "";
  refuse(
    `The pipeline ${isNamed ? `"${name}" ` : ""}cannot be made`,
    unknownOptions(options, ofPipeline),
    isNamed ? [] : ["its `name` is no text"],
    Array.isArray(steps) ? [] : ["its `steps` are no list"],
    historyProblems(numHistoryRuns),
    typeProblems(options, typesOfPipeline),
    isListOfTexts(options.eventsToSkip ?? []) ? [] : ["its `eventsToSkip` are no list of names"],
    options.outputSchema && options.agent ? ["it has an `agent`, whose answers its `outputSchema` does not check"] : [],
    sessionIdProblems(options.sessionId),
    templateProblems(options.sessionState),
    reducerProblems(options.reducers),
  );
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function sessionIdProblems(sessionId: unknown): string[] {
  if (sessionId === undefined || (typeof sessionId === "string" && sessionId !== "")) return [];
  return [`its \`sessionId\` is ${sessionId === "" ? "empty" : "no text"}`];
}

/** Problems of the initial state of new sessions. */
function templateProblems(sessionState: unknown): string[] {
  if (sessionState === undefined) return [];
  try {
    assertState(sessionState);
    return [];
  } catch (error) {
    if (!WorkflowError.is(error, "STATE_UNSTORABLE")) throw error;
    return [`its \`sessionState\` is no state. ${error.message.replace(/\.$/, "")}`];
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkRunOptions(pipeline: string, options: PipelineRunOptions): void {
  refuse(
    `The run of the pipeline "${pipeline}" cannot begin`,
    unknownOptions(options, ofRun),
    typeProblems(options, typesOfRun),
    sessionIdProblems(options.sessionId),
  );
}

/**
 * Checks the input for `workflow`, which is stored. @throws {WorkflowError} `OPTION_INVALID` naming values that are not
 * plain data.
 */
export function assertStorable(pipeline: string, dependencies: Readonly<Record<string, unknown>>): void {
  const services = Object.keys(dependencies).filter((name) => !isPlain(dependencies[name]));
  refuse(
    `The input of the pipeline "${pipeline}" cannot be made`,
    services.map(
      (name) => `\`dependencies.${name}\` is no plain data: it can be among the dependencies of the pipeline`,
    ),
  );
}
