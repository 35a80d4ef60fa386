/** A pipeline as a step: a child of the run, on the same session state. */
import type { Workflow } from "millrace";
import { toOutput } from "../data/function-result.js";
import { createOutput } from "../data/step-output.js";
import type { PipelineLike } from "../nodes/pipeline-like.types.js";
import { pipelineFailed } from "../run/pipeline-failed.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import type { JsonObject } from "../session/json.js";
import { changesOf } from "../session/merge-states.js";
import { LiveSessionState } from "../session/session-state.js";
import type { Attempt, Executed, Execution } from "./execute.js";
import { executorRun } from "./executor-run.js";
import type { RunRequest } from "./pipeline-state.types.js";
import { plainCopy } from "./plain-copy.js";

export interface NestedPipeline extends PipelineLike {
  readonly workflow: Workflow;
}

export async function runNested(
  execution: Execution,
  {
    nested,
    message,
    attempt,
  }: { readonly nested: NestedPipeline; readonly message: unknown; readonly attempt: Attempt },
): Promise<Executed> {
  const { runChild, context, events, notes, node, keepsExecutorRuns } = execution;
  const shared = plainCopy(context.sessionState) as JsonObject;
  const asked = requestOf(execution, { shared, message });
  const output = (await runChild(nested.workflow, { request: { ...asked, given: null } })) as PipelineRunOutput;
  // Through the view: what the inner one has changed is a change of this step.
  LiveSessionState.applyTo(context.sessionState, changesOf(shared, output.sessionState));
  events.adopt(output.events);
  notes.answered.push(...output.answered);
  if (output.status === "CANCELLED") return { status: "cancelled", why: String(output.content) };
  if (keepsExecutorRuns) {
    const own = executorRun(node, { result: output, parentRunId: context.runId });
    notes.executorRuns.push(...output.stepExecutorRuns, own);
  }
  const given = toOutput(output);
  // What was done until it failed counts, and the step that it is of may try again.
  if (output.status === "ERROR") {
    attempt.metrics = given.metrics;
    attempt.steps = Object.values(output.metrics.steps).flatMap(({ executions }) => executions);
    throw pipelineFailed(output);
  }
  // That it stopped early is its own business.
  return { status: "done", output: createOutput({ ...given, stop: false, steps: output.stepResults }) };
}

function requestOf(
  { request, context, input, events, node }: Execution,
  { shared, message }: { readonly shared: JsonObject; readonly message: unknown },
): RunRequest {
  const { images, videos, audio, files } = input;
  const { nesting } = request;
  return {
    ...request,
    input: message,
    media: { images, videos, audio, files },
    shared,
    nesting: {
      depth: (nesting?.depth ?? 0) + 1,
      rootRunId: nesting?.rootRunId ?? context.runId,
      parentStepId: node.id,
      storesEvents: events.keeps,
    },
  };
}
