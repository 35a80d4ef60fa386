/** Checks the options of pipelines and runs. */

import { assertState, fieldOf, historyRuns, isPlain, reducerProblems, userId } from "@millrace/executor";
import { type StandardSchema, WorkflowError } from "millrace";
import {
  checkOptions,
  flag,
  list,
  object,
  type Rule,
  type Rules,
  refuseOptions,
  text,
  unchecked,
  valueRule,
  withMethods,
} from "millrace/engine";
import { assertOptions, someText } from "../human/option-rules.js";
import type { ContinueOptions } from "./continue-run.js";
import type { HandleOptions, PipelineOptions, PipelineRunOptions, RunQuery } from "./pipeline-options.js";

const sessionId: Rule = (value) => {
  if (value === undefined || (typeof value === "string" && value !== "")) return [];
  return [`its \`sessionId\` is ${value === "" ? "empty" : "not a string"}`];
};

/** The initial state of new sessions. */
const template: Rule = (value) => {
  if (value === undefined) return [];
  try {
    assertState(value);
    return [];
  } catch (error) {
    if (!WorkflowError.is(error, "VALUE_UNSERIALIZABLE")) throw error;
    return [`its \`sessionState\` is no state. ${error.message.replace(/\.$/, "")}`];
  }
};

const eventsToSkip: Rule = (value) => {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  return isList || value === undefined ? [] : ["its `eventsToSkip` are not a list of names"];
};

/** Of some libraries, a schema is a function. */
const schema: Rule = valueRule(
  (value) => typeof (value as StandardSchema | null)?.["~standard"]?.validate === "function",
  "a Standard Schema, such as `z.object({ … })`",
);

const pipelineRules: Rules<PipelineOptions> = {
  name: (name) => (isName(name) ? [] : ["its `name` is not a string"]),
  steps: (steps) => (Array.isArray(steps) ? [] : ["its `steps` are not a list"]),
  numHistoryRuns: historyRuns,
  id: someText,
  description: text,
  store: withMethods("a store of runs, such as `sqliteStore(path)`", "commit"),
  sessionId,
  userId,
  sessionState: template,
  reducers: reducerProblems,
  overwriteDbSessionState: flag,
  dependencies: object,
  metadata: object,
  limits: object,
  index: object,
  addWorkflowHistoryToSteps: flag,
  agent: withMethods("a `PipelineAgent`", "decide"),
  streamEvents: flag,
  streamExecutorEvents: flag,
  storeEvents: flag,
  eventsToSkip,
  storeExecutorOutputs: flag,
  forkState: flag,
  inputSchema: schema,
  outputSchema: schema,
};

const runRules: Rules<PipelineRunOptions> = {
  runId: text,
  sessionId,
  userId,
  sessionState: object,
  additionalData: object,
  dependencies: object,
  metadata: object,
  streamEvents: flag,
  streamExecutorEvents: flag,
  ...unchecked("images videos audio files"),
};

const continueRules: Rules<ContinueOptions> = {
  userId,
  dependencies: object,
  requirements: list,
  answers: list,
};
const handleRules: Rules<HandleOptions> = { dependencies: object };
/** Their values are checked where they are read. */
const queryRules: Rules<RunQuery> = unchecked("sessionId userId status limit cursor");

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "";
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkPipelineOptions(options: PipelineOptions): void {
  assertOptions("The pipeline", options);
  const { name, outputSchema, agent } = options;
  checkOptions(`The pipeline ${isName(name) ? `"${name}" ` : ""}cannot be made`, options, {
    rules: pipelineRules,
    besides: outputSchema && agent ? ["it has an `agent`, whose answers its `outputSchema` does not check"] : [],
  });
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkRunOptions(pipeline: string, options: PipelineRunOptions): void {
  checkOptions(`The run of the pipeline "${pipeline}" cannot begin`, options, { rules: runRules });
}

/** @throws {WorkflowError} `OPTION_INVALID` for anything but a run or its id. */
export function runIdOf(run: unknown): string {
  const runId: unknown = typeof run === "object" ? fieldOf(run, "runId") : run;
  if (typeof runId !== "string")
    refuseOptions("No run can continue", ["the first argument is no output and no id of a run"]);
  return runId as string;
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkContinueOptions(runId: string, options: ContinueOptions): void {
  checkOptions(`The run "${runId}" cannot continue`, options, { rules: continueRules });
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkHandleOptions(runId: string, options: HandleOptions): void {
  if (typeof runId !== "string") refuseOptions("No run is meant", ["the id of the run is not a text"]);
  checkOptions(`The options for the run "${runId}" are wrong`, options, { rules: handleRules });
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every unknown option. */
export function checkRunQuery(query: RunQuery): void {
  checkOptions("The runs cannot be listed", query, { rules: queryRules });
}

/**
 * Checks the input for `workflow`, which is stored. @throws {WorkflowError} `OPTION_INVALID` naming values that are not
 * plain data.
 */
export function assertStorable(pipeline: string, dependencies: Readonly<Record<string, unknown>>): void {
  const services = Object.keys(dependencies).filter((name) => !isPlain(dependencies[name]));
  refuseOptions(
    `The input of the pipeline "${pipeline}" cannot be made`,
    services.map(
      (name) => `\`dependencies.${name}\` is not plain data: it can be among the dependencies of the pipeline`,
    ),
  );
}
