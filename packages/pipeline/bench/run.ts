import type { Pipeline, PipelineRun } from "@millrace/pipeline";

let sessions = 0;

/** In a session of its own: runs of one session wait for each other at their ends. */
export function runAlone(pipeline: Pipeline, input?: unknown): PipelineRun {
  return pipeline.run(input, { sessionId: `session ${sessions++}` });
}
