/**
 * A pipeline as a core workflow: a core step for every step, for every decision, for what gathers the branches of a Parallel, and
 * for every question to people.
 *
 * @module
 */

import { isObject } from "@millrace/executor";
import { defineWorkflow, type InputIndex, type StepFailedEvent, type Workflow, type WorkflowOptions } from "millrace";
import { storedResult } from "../output/stored-result.js";
import { coreNames, nodeIdsOf } from "../plan/core-names.js";
import { keepTree } from "../plan/pipeline-tree.js";
import { caught } from "../steps/end-steps.js";
import type { CompiledPlan, PipelineStart, StepCtx, StepParts } from "../steps/plan.types.js";
import { caughtSettings, coreSteps, type Result } from "./core-steps.js";
import { eventLabels, stepGroups, stepNotes } from "./drawn-graph.js";

export function compilePipeline(plan: CompiledPlan): Workflow {
  const names = coreNames(plan.tree);
  const nodeIds = nodeIdsOf(names);
  const empty = defineWorkflow(plan.pipeline.id, {
    children: Object.fromEntries(plan.workflows),
    index: indexOfInput(plan.index),
  });
  // The graph is made of what the user listed: its events are known at run time only, and `build` checks them.
  let builder = empty as unknown as UntypedBuilder;
  for (const { name, settings, run } of coreSteps(plan, names))
    builder = builder.step(name, settings, (ev, ctx, { live }) => run(ev, { ctx, live }));
  const workflow = builder
    .catchError("caught", caughtSettings(plan), (ev, ctx, { live }) => caught(plan, ev, { ctx, live, nodeIds }))
    .build({
      types: [storedResult],
      limits: plan.limits,
      forkState: (fields) => forkProblems(plan, fields),
      ...(plan.description !== null && { description: plan.description }),
      groups: stepGroups(plan, names),
      stepNotes: stepNotes(plan, names),
      eventLabels: eventLabels(plan),
    });
  keepTree(workflow, plan.tree);
  return workflow;
}

/** The functions get the input of the pipeline and not its start event. */
function indexOfInput(index: InputIndex): InputIndex {
  const reading = (read: unknown): unknown =>
    typeof read === "function" ? ({ request }: PipelineStart) => read(request.input) : read;
  return Object.fromEntries(Object.entries(index).map(([name, read]) => [name, reading(read) as InputIndex[string]]));
}

/** All but the session state is what the pipeline itself has noted, such as what people have approved. */
function forkProblems({ opensSession }: CompiledPlan, fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (name !== "session") return [`${JSON.stringify(name)} is kept by the pipeline itself`];
    if (!opensSession) return ["`forkState` of the pipeline is false"];
    return isObject(value) ? [] : ["`session`, the session state, has to be an object"];
  });
}

type Run<Event> = (event: Event, ctx: StepCtx, given: Pick<StepParts, "live">) => Result;

interface UntypedBuilder {
  step(name: string, settings: object, run: Run<never>): UntypedBuilder;
  catchError(name: string, settings: object, run: Run<StepFailedEvent>): UntypedBuilder;
  build(options: WorkflowOptions): Workflow;
}
