/** What a run is asked for: what its caller gave, over what the pipeline has. */

import type { RunRequest } from "../compile/pipeline-state.types.js";
import { plainCopy } from "../compile/plain-copy.js";
import { plainDependencies } from "../compile/run-dependencies.js";
import { defined } from "../data/defined.js";
import { toMediaSet } from "../data/media.js";
import { mergeValues } from "../data/merge-values.js";
import type { SessionState } from "../nodes/executor.types.js";
import { assertState, copyJson } from "../session/json.js";
import { checkRunOptions } from "./check-options.js";
import type { PipelineOptions, PipelineRunOptions } from "./pipeline-options.js";
import { validateInput } from "./schemas.js";

export interface GivenRequest extends RunRequest {
  /** The session state that the run was given. Null: none. */
  readonly given: Readonly<SessionState> | null;
}

export interface Asked {
  readonly input: unknown;
  readonly options: PipelineRunOptions;
  /** Of runs that name none. Empty: each has its own, with its id. */
  readonly sessionId: string;
}

/**
 * A copy: whoever has given it may change it afterwards.
 *
 * @throws {WorkflowError} `INPUT_INVALID`, `OPTION_INVALID`, `STATE_UNSTORABLE`, `VALUE_UNSERIALIZABLE`.
 */
export function runRequest(pipeline: PipelineOptions, { input, options, sessionId }: Asked): GivenRequest {
  checkRunOptions(pipeline.name, options);
  const checked = validateInput(pipeline.name, pipeline.inputSchema ?? null, input);
  return requestOf(pipeline, { input: checked, options, sessionId });
}

/** The same of an input and options that are checked. @throws {WorkflowError} `STATE_UNSTORABLE`, `VALUE_UNSERIALIZABLE`. */
export function requestOf(pipeline: PipelineOptions, { input, options, sessionId }: Asked): GivenRequest {
  return {
    ...defined("input", plainCopy(input)),
    additionalData: plainCopy(options.additionalData ?? {}) as RunRequest["additionalData"],
    media: toMediaSet(options),
    sessionId: options.sessionId ?? sessionId,
    userId: options.userId || pipeline.userId || null,
    dependencies: plainDependencies(options.dependencies ?? {}),
    metadata: plainCopy(mergeValues(options.metadata ?? {}, pipeline.metadata ?? {})) as RunRequest["metadata"],
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
