/** What a run is asked for: what its caller gave, over what the pipeline has. */
import type { RunRequest } from "../compile/pipeline-state.types.js";
import { defined } from "../data/defined.js";
import { toMediaSet } from "../data/media.js";
import { mergeValues } from "../data/merge-values.js";
import type { SessionState } from "../nodes/executor.types.js";
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
  /** Of runs that name none. */
  readonly sessionId: string;
}

/** @throws {WorkflowError} `INPUT_INVALID`, `OPTION_INVALID`. */
export function runRequest(pipeline: PipelineOptions, { input, options, sessionId }: Asked): GivenRequest {
  checkRunOptions(pipeline.name, options);
  return {
    ...defined("input", validateInput(pipeline.name, pipeline.inputSchema ?? null, input)),
    additionalData: options.additionalData ?? {},
    media: toMediaSet(options),
    sessionId: options.sessionId ?? sessionId,
    userId: options.userId || pipeline.userId || null,
    dependencies: mergeValues(pipeline.dependencies ?? {}, options.dependencies ?? {}),
    metadata: mergeValues(options.metadata ?? {}, pipeline.metadata ?? {}),
    showsSteps: options.streamEvents ?? pipeline.streamEvents ?? false,
    showsExecutors: options.streamExecutorEvents ?? pipeline.streamExecutorEvents ?? true,
    nesting: null,
    given: options.sessionState ?? null,
  };
}
