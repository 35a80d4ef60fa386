/**
 * A pipeline as a core workflow: a core step for every step, for every decision, for what gathers the branches of a Parallel, and
 * for every question to people.
 *
 * @module
 */
import {
  defineWorkflow,
  type Finished,
  type StepFailedEvent,
  type Workflow,
  type WorkflowEvent,
  type WorkflowOptions,
} from "millrace";
import type { PipelineNode } from "../nodes/node.types.js";
import type { PipelineStart } from "../run/start-event.js";
import { askPeople } from "./ask-step.js";
import { beginRun, converse } from "./begin-step.js";
import * as options from "./core-steps.js";
import { cancelRun, caught, finishRun, gather } from "./end-steps.js";
import type { LiveHolder } from "./live-run.js";
import { type PipelineCancelEvent, PipelineEvents, type PlaceEvent } from "./pipeline-events.js";
import type { CompiledPlan, PipelinePlan, StepCtx } from "./plan.types.js";
import { runNode } from "./visit-node.js";

export function compilePipeline(plan: PipelinePlan): Workflow {
  const compiled: CompiledPlan = { ...plan, events: new PipelineEvents(plan.tree) };
  const names = options.coreNames(compiled.tree);
  const nodeIds = options.nodeIds(names);
  const empty = defineWorkflow(plan.pipeline.id, { children: Object.fromEntries(plan.workflows) });
  // The graph is made of what the user listed: its events are known at run time only, and `build` checks them.
  let builder = empty as unknown as UntypedBuilder;
  for (const { name, settings, run } of coreSteps(compiled, names)) builder = builder.step(name, settings, run);
  return builder
    .catchError("caught", options.caughtOptions(compiled), (ev, ctx, { live }) =>
      caught(compiled, ev, { ctx, nodeIds, live }),
    )
    .build({ forkState: (fields) => forkProblems(plan, fields) });
}

/** All but the session state is what the pipeline itself has noted, such as what people have approved. */
function forkProblems({ opensSession }: PipelinePlan, fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (name !== "session") return [`${JSON.stringify(name)} is kept by the pipeline itself`];
    if (!opensSession) return ["`forkState` of the pipeline is false"];
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? [] : ["`session`, the session state, has to be an object"];
  });
}

/** A core step; `run` gets the event that `settings` are for. */
interface CoreStep {
  readonly name: string;
  readonly settings: object;
  readonly run: (event: never, ctx: StepCtx, given: LiveHolder) => Result;
}

function* coreSteps(plan: CompiledPlan, names: ReadonlyMap<string, string>): Generator<CoreStep> {
  yield {
    name: "begin",
    settings: options.beginOptions(plan, plan.agent !== null),
    run: (ev: PipelineStart, ctx, { live }) => beginRun(plan, ev, { ctx, live }),
  };
  if (plan.agent !== null)
    yield {
      name: "converse",
      settings: options.converseOptions(plan),
      run: (ev: PlaceEvent, ctx, { live }) => converse(plan, ev, { ctx, live }),
    };
  for (const node of plan.tree.all)
    if (plan.tree.isEntered(node)) yield* nodeSteps(plan, node, names.get(node.id) as string);
  yield {
    name: "finish",
    settings: options.finishOptions(plan),
    run: (_, ctx, { live }) => finishRun(plan, { ctx, live }),
  };
  yield {
    name: "cancel",
    settings: options.cancelOptions,
    run: (ev: PipelineCancelEvent, ctx, { live }) => cancelRun(plan, ev, { ctx, live }),
  };
}

function* nodeSteps(plan: CompiledPlan, node: PipelineNode, name: string): Generator<CoreStep> {
  yield {
    name,
    settings: options.optionsOf(plan, node),
    run: (ev: PlaceEvent, ctx, { live }) => runNode(plan, { node, ev, ctx, live }),
  };
  if (plan.tree.canAsk(node))
    yield {
      name: `${name}: ask`,
      settings: options.askOptions(plan, node),
      run: (ev: PlaceEvent, ctx, { live }) => askPeople(plan, { node, ev, ctx, live }),
    };
  if (node.kind === "loop" && node.children.length > 0 && !plan.tree.turnsAtOnce(node))
    yield {
      name: `${name}: again`,
      settings: options.againOptions(plan, node),
      run: (ev: PlaceEvent, ctx, { live }) => runNode(plan, { node, ev, ctx, live, isAgain: true }),
    };
  if (node.kind === "parallel")
    yield {
      name: `${name}: gather`,
      settings: options.gatherOptions(plan, node, name),
      run: (branches: readonly PlaceEvent[], ctx, { live }) => gather(plan, branches, { node, ctx, live }),
    };
}

type Result = Promise<WorkflowEvent | WorkflowEvent[] | Finished | undefined>;

interface UntypedBuilder {
  step(name: string, settings: object, run: CoreStep["run"]): UntypedBuilder;
  catchError(
    name: string,
    settings: object,
    run: (event: StepFailedEvent, ctx: StepCtx, given: LiveHolder) => Result,
  ): UntypedBuilder;
  build(options: WorkflowOptions): Workflow;
}
