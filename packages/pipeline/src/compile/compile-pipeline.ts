/**
 * A pipeline as a core workflow: a core step for every step, for every decision, and for what gathers the branches of a Parallel.
 *
 * @module
 */
import {
  type Context,
  defineWorkflow,
  resource,
  StartEvent,
  type StepFailedEvent,
  StopEvent,
  type Workflow,
  type WorkflowEvent,
} from "millrace";
import type { PipelineNode } from "../nodes/node.types.js";
import { pipelineFailed } from "../run/pipeline-failed.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import { LiveSessionState } from "../session/session-state.js";
import { begin, leave } from "./advance.js";
import { againOptions, beginOptions, coreNames, everywhere, gatherOptions, optionsOf } from "./core-steps.js";
import { decide } from "./decide.js";
import { failedMoves, messageOf } from "./failure.js";
import { PipelineEvents, type PlaceEvent, Shown } from "./pipeline-events.js";
import type { Move, PipelineState, Step } from "./pipeline-state.types.js";
import { PipelineTree } from "./pipeline-tree.js";
import { type PipelineIdentity, StepRunContext } from "./run-context.js";
import { runStepNode } from "./run-step-node.js";

export type StepCtx = Context<Record<string, unknown>>;

/** What a pipeline does around its steps. */
export interface PipelineHooks {
  /** What a run begins with. */
  prepare(ctx: StepCtx, request: unknown): Promise<Omit<PipelineState, "frames" | "visits" | "moved">>;
  /** Called in the last step: what the run gives. */
  finish(ctx: StepCtx, state: PipelineState): Promise<PipelineRunOutput>;
}

export interface PipelinePlan {
  readonly pipeline: PipelineIdentity;
  readonly children: readonly PipelineNode[];
  readonly hooks: PipelineHooks;
  readonly addHistory: boolean;
  readonly numHistoryRuns: number | null;
  /** Workflows and pipelines that are steps, by the id of their node. */
  readonly workflows: ReadonlyMap<string, Workflow>;
}

export interface CompiledPlan extends PipelinePlan {
  readonly tree: PipelineTree;
  readonly events: PipelineEvents;
}

/** One per run in memory. */
const live = resource("sessionState", () => ({ state: null as LiveSessionState | null }), { scope: "run" });
const resources = { live };

export interface StepTools {
  readonly ctx: StepCtx;
  readonly state: PipelineState;
  readonly context: StepRunContext;
}

export function compilePipeline(plan: PipelinePlan): Workflow {
  const compiled: CompiledPlan = { ...plan, tree: new PipelineTree(plan.children), events: new PipelineEvents() };
  const { tree, events } = compiled;
  const children = Object.fromEntries(plan.workflows);
  // The graph is made of what the user listed: its events are known at run time only, and `build` checks them.
  let builder = defineWorkflow(plan.pipeline.id, { children }) as unknown as UntypedBuilder;
  builder = builder.step("begin", beginOptions(compiled), (ev: StartEvent, ctx: StepCtx) => start(compiled, ev, ctx));
  const names = coreNames(tree);
  for (const node of tree.all) {
    if (node.kind === "steps") continue;
    const name = names.get(node.id) as string;
    builder = builder.step(
      name,
      optionsOf(compiled, node, resources),
      (ev: PlaceEvent, ctx: StepCtx, given: LiveHolder) => runNode(compiled, { node, ev, ctx, holder: given.live }),
    );
    if (node.kind === "loop")
      builder = builder.step(
        `${name}: again`,
        againOptions(compiled, node, resources),
        (ev: PlaceEvent, ctx: StepCtx, given: LiveHolder) =>
          runNode(compiled, { node, ev, ctx, holder: given.live, isAgain: true }),
      );
    if (node.kind === "parallel")
      builder = builder.step(`${name}: gather`, gatherOptions(compiled, node), gatherStep(compiled));
  }
  builder = builder.step(
    "finish",
    { on: events.of({ to: "finish", node: "" }), emits: StopEvent, streams: [Shown] },
    (_: unknown, ctx: StepCtx) => finish(compiled, ctx),
  );
  return builder
    .catchError(
      "caught",
      { emits: everywhere(compiled), streams: [Shown], maxRecoveries: 1_000_000 },
      (ev: StepFailedEvent, ctx: StepCtx) => caught(compiled, { ev, ctx, names }),
    )
    .build();
}

interface UntypedBuilder {
  step(name: string, options: object, run: (event: never, ctx: StepCtx, given: LiveHolder) => unknown): UntypedBuilder;
  catchError(name: string, options: object, run: (event: StepFailedEvent, ctx: StepCtx) => unknown): UntypedBuilder;
  build(): Workflow;
}

interface LiveHolder {
  readonly live: { state: LiveSessionState | null };
}

// ---- what they do

async function start(plan: CompiledPlan, ev: StartEvent, ctx: StepCtx): Promise<WorkflowEvent | undefined> {
  const before = await ctx.store.getState();
  const isBegun = "visits" in before;
  const prepared = isBegun ? {} : await plan.hooks.prepare(ctx, ev.get("request") ?? { input: ev.get("input") });
  const moves = await move(ctx, { visit: 0, from: [] }, (state) => {
    Object.assign(state, { ...prepared, frames: {}, visits: 0, moved: {} });
    return begin(state, plan.tree);
  });
  show(ctx, "WorkflowStarted");
  return one(plan, moves);
}

function show(ctx: StepCtx, name: string, data: Readonly<Record<string, unknown>> = {}): void {
  ctx.writeEventToStream(new Shown({ name, data }) as never);
}

interface Visit {
  readonly node: Exclude<PipelineNode, { readonly kind: "steps" }>;
  readonly ev: PlaceEvent;
  readonly ctx: StepCtx;
  readonly holder: LiveHolder["live"];
  readonly isAgain?: true;
}

async function runNode(plan: CompiledPlan, visit: Visit): Promise<WorkflowEvent | WorkflowEvent[] | undefined> {
  const { node, ev, ctx } = visit;
  const state = (await ctx.store.getState()) as unknown as PipelineState;
  const moves = state.moved[ev.visit] ?? (await visitNode(plan, state, visit));
  // Branches that run at once are one batch, also when there is one. Without branches it is over already.
  return node.kind === "parallel" && node.children.length > 0
    ? moves.map((one) => plan.events.make(one))
    : one(plan, moves);
}

async function visitNode(plan: CompiledPlan, state: PipelineState, visit: Visit): Promise<readonly Move[]> {
  const { node, ev, ctx, holder, isAgain } = visit;
  holder.state ??= new LiveSessionState(state.session);
  const context = new StepRunContext(ctx, state, { live: holder.state, pipeline: plan.pipeline });
  const tools = { place: { frame: ev.frame, at: ev.at }, ctx, state, context, ...(isAgain && { isAgain }) };
  const deciding = node.kind === "step" ? runStepNode(plan, node, tools) : decide(plan, node, tools);
  const decided = await deciding.catch((error: unknown) => {
    context.close();
    throw error;
  });
  return move(ctx, { visit: ev.visit, from: [ev.from] }, (draft) => {
    context.commitTo(draft);
    return decided(draft);
  });
}

function gatherStep(plan: CompiledPlan) {
  return async (branches: readonly PlaceEvent[], ctx: StepCtx): Promise<WorkflowEvent | undefined> => {
    const [first] = branches;
    if (first === undefined) return undefined;
    const state = (await ctx.store.getState()) as unknown as PipelineState;
    const from = branches.map((branch) => branch.from);
    const moves =
      state.moved[first.visit] ??
      (await move(ctx, { visit: first.visit, from }, (draft) =>
        // A failure inside may have taken the run elsewhere.
        draft.frames[first.frame] === undefined ? [] : leave(draft, plan.tree, first.frame),
      ));
    return one(plan, moves);
  };
}

async function finish({ hooks }: CompiledPlan, ctx: StepCtx): Promise<StopEvent> {
  const state = (await ctx.store.getState()) as unknown as PipelineState;
  const output = await hooks.finish(ctx, state);
  if (state.failure === null)
    show(ctx, "WorkflowCompleted", { content: output.content, stepResults: output.stepResults });
  else if (state.request.shared !== null)
    throw pipelineFailed(output); // the step that it is of may try again
  else show(ctx, "WorkflowError", { error: state.failure.message, stepName: state.failure.stepName });
  return new StopEvent({ result: output });
}

async function caught(
  plan: CompiledPlan,
  {
    ev,
    ctx,
    names,
  }: { readonly ev: StepFailedEvent; readonly ctx: StepCtx; readonly names: ReadonlyMap<string, string> },
): Promise<WorkflowEvent | undefined> {
  const failed = (Array.isArray(ev.input) ? ev.input[0] : ev.input) as PlaceEvent;
  // It has not begun, or has done all that it could: there is nothing to go on with.
  if (StartEvent.is(failed) || ev.stepName === "finish") throw ev.error;
  const { visit, from } = failed;
  const state = (await ctx.store.getState()) as unknown as PipelineState;
  const moves =
    state.moved[visit] ??
    (await move(ctx, { visit, from: [from] }, (draft) => failedMoves(draft, plan, { ev, names })));
  if (state.request.showsSteps) show(ctx, "StepError", { stepName: ev.stepName, error: messageOf(ev) });
  return one(plan, moves);
}

/** Goes on from a visit: all that it changes is one edit, and where it went is part of it. */
async function move(
  ctx: StepCtx,
  { visit, from }: { readonly visit: number; readonly from: readonly number[] },
  change: (state: PipelineState) => readonly Step[],
): Promise<readonly Move[]> {
  return ctx.store.editState((draft) => {
    const state = draft as unknown as PipelineState;
    const steps = change(state);
    const moves = steps.map((step) => ({ ...step, visit: ++state.visits, from: visit }));
    for (const done of from) delete state.moved[done];
    state.moved[visit] = moves;
    return moves;
  });
}

function one({ events }: CompiledPlan, moves: readonly Move[]): WorkflowEvent | undefined {
  return moves[0] === undefined ? undefined : events.make(moves[0]);
}
