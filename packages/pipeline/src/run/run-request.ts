/** Builds the request of a run from the arguments of its caller and the options of the pipeline. */

import { assertState, copyJson, mergeValues, type SessionState, storableCopy, toMediaSet } from "@millrace/executor";
import { defined } from "../data/defined.js";
import { plainDependencies } from "../plan/run-dependencies.js";
import type { GivenRequest } from "../steps/plan.types.js";
import { checkRunOptions } from "./check-options.js";
import type { PipelineOptions, PipelineRunOptions } from "./pipeline-options.js";
import { validateInput } from "./schemas.js";

export interface RequestParts {
  readonly input: unknown;
  readonly options: PipelineRunOptions;
  /** Session of the runs that name no session. Empty: each run has its own session, with the id of the run. */
  readonly sessionId: string;
}

/**
 * Copies the arguments, which the caller may change later.
 *
 * @throws {WorkflowError} `INPUT_INVALID`, `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`.
 */
export function runRequest(pipeline: PipelineOptions, { input, options, sessionId }: RequestParts): GivenRequest {
  checkRunOptions(pipeline.name, options);
  const checked = validateInput(pipeline.name, pipeline.inputSchema ?? null, input);
  return requestOf(pipeline, { input: checked, options, sessionId });
}

/** Builds the request from checked arguments. @throws {WorkflowError} `VALUE_UNSERIALIZABLE`. */
export function requestOf(pipeline: PipelineOptions, { input, options, sessionId }: RequestParts): GivenRequest {
  return {
    ...defined("input", storableCopy("The input is or holds", input)),
    additionalData: storableCopy("`additionalData` holds", options.additionalData ?? {}),
    media: toMediaSet(options),
    sessionId: options.sessionId ?? sessionId,
    userId: options.userId || pipeline.userId || null,
    dependencies: plainDependencies(options.dependencies ?? {}),
    metadata: storableCopy("`metadata` holds", mergeValues(options.metadata ?? {}, pipeline.metadata ?? {})),
    showsSteps: options.streamEvents ?? pipeline.streamEvents ?? false,
    showsExecutors: options.streamExecutorEvents ?? pipeline.streamExecutorEvents ?? true,
    nesting: null,
    given: stateOf(options.sessionState ?? null),
  };
}

function stateOf(given: Readonly<SessionState> | null): Readonly<SessionState> | null {
  if (given === null) return null;
  assertState(given);
  return copyJson(given);
}
