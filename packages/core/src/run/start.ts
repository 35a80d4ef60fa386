/**
 * Starts runs: new ones, from a context, or again.
 *
 * @module
 */

import type { ResumeOptions, RunOptions, WorkflowHandler } from "../authoring/handler.types.js";
import type { RunContext } from "../authoring/store.types.js";
import { resolveStart } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import type { Journal } from "../engine/ports.js";
import { createRunState, type RunState } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import {
  cannotResume,
  invalidOption,
  isOfSecondCopy,
  ofSecondCopy,
  runLive,
  secondCopyHint,
  WorkflowError,
} from "../errors/workflow-error.js";
import { areOverrides, noOverrides } from "../resource/resource.js";
import { toMs } from "../value/duration.js";
import { assertOption, assertSignal, checkOptionNames, timeOf, wrongOption } from "../value/options.js";
import { CallerContext } from "./caller/caller-context.js";
import { RunHandler } from "./caller/handler.js";
import { hostOf, type LiveRun, type RunJournal, timeAt } from "./live-run.js";
import { beginWithChildren, createRunner } from "./perform.js";
import { initialStore, type RestoredRun } from "./snapshot-run.js";

export function startRun(compiled: CompiledWorkflow, input: unknown, options: RunOptions): WorkflowHandler {
  checkOptionNames("run", options);
  const context = options.context === undefined ? null : callerContext(compiled, options.context);
  if (context !== null && isUnfinished(context.run.state)) {
    const { runId } = context;
    if (input !== undefined || (options.runId ?? runId) !== runId) throw inputToLive(context.run.state);
    return resumeRun(compiled, context, options);
  }
  const event = resolveStart(compiled, input);
  const limits = limitsOf(compiled, options);
  const state = newState(compiled, context, options.runId);
  return startHandler(compiled, { context, restored: { state, children: null }, options }, (run) => {
    const trace = run.host.inspector.traceOf({ workflow: compiled.name, runId: run.state.runId, trace: null });
    return {
      type: "run.started",
      atMs: run.now(),
      event,
      ...limits,
      lineage: null,
      labels: null,
      ...(trace !== null && { trace }),
    };
  });
}

export function resumeRun(compiled: CompiledWorkflow, given: RunContext, options: ResumeOptions): WorkflowHandler {
  return continueFrom(compiled, { given, options, allowed: ["running", "cancelled"], type: "run.resumed" });
}

export function retryRun(compiled: CompiledWorkflow, given: RunContext, options: ResumeOptions): WorkflowHandler {
  return continueFrom(compiled, { given, options, allowed: ["failed", "timedOut"], type: "run.retried" });
}

interface Resuming {
  readonly given: RunContext;
  readonly options: ResumeOptions;
  readonly allowed: readonly RunState["status"][];
  readonly type: "run.resumed" | "run.retried";
}

function continueFrom(compiled: CompiledWorkflow, { given, options, allowed, type }: Resuming): WorkflowHandler {
  checkOptionNames((options as RunOptions).context === given ? "run" : "resume", options); // `run` continues a context, too
  const context = callerContext(compiled, given);
  const { state } = context.run;
  if (state.ticks === 0) throw neverRun(state);
  const how = type === "run.resumed" ? "resume" : "retry";
  if (!allowed.includes(state.status)) throw cannotResume(state, how, startOnState);
  const isSame = options.timeout === undefined && options.deadline === undefined;
  const limits: Partial<ReturnType<typeof limitsOf>> = isSame ? {} : limitsOf(compiled, options);
  return startHandler(compiled, { context, restored: context.run, options }, (run) => {
    const deadline = limits.deadlineMs == null ? {} : { deadlineMs: timeAt(run, limits.deadlineMs) };
    return { type, atMs: run.now(), ...limits, ...deadline };
  });
}

const startOnState = "Start a new run on its state with `workflow.run(input, { context })`";

/** A context of a run that has begun and not ended: `run` continues it. */
function isUnfinished(state: RunState): boolean {
  return state.ticks > 0 && (state.status === "running" || state.status === "cancelled");
}

function newState(compiled: CompiledWorkflow, context: CallerContext | null, runId: string | undefined): RunState {
  const id = runId ?? (context?.run.state.ticks === 0 ? context.runId : hostOf(compiled).ports.ids.runId());
  assertOption(typeof id === "string" && id !== "", "runId", "a text that is not empty");
  return createRunState({
    runId: id,
    workflow: compiled.name,
    store: context === null ? initialStore(compiled) : context.run.state.store,
  });
}

interface HandlerSetup {
  readonly context: CallerContext | null;
  readonly restored: RestoredRun;
  readonly options: RunOptions;
}

/** @param tickOf Makes the tick that the run begins or continues with. */
function startHandler(
  compiled: CompiledWorkflow,
  { context, restored, options }: HandlerSetup,
  tickOf: (run: LiveRun) => Tick,
): WorkflowHandler {
  const host = hostOf(compiled);
  const { runId } = restored.state;
  const { signal } = options;
  const resources = options.resources ?? noOverrides;
  assertSignal(signal);
  assertOption(areOverrides(resources), "resources", "a list of `database.override(fake)`");
  if (options.runId !== undefined) claimId(host.liveIds, runId, compiled.name);
  const run = createRunner({
    host,
    journal: journalOf(host.ports.journal),
    state: restored.state,
    overrides: resources,
    parent: null,
    descendants: restored.children === null ? null : new Map(restored.children),
  });
  context?.bind(run);
  const handler = new RunHandler(run, context);
  run.owner = handler;
  if (signal) handler.cancelOn(signal);
  const tick = tickOf(run);
  handler.follow(tick);
  beginWithChildren(run, tick);
  return handler;
}

/** Makes the journal port of a host the journal of a run. */
function journalOf(port: Journal | null): RunJournal | null {
  return port && { append: (run, ticks) => port.append(run.state.runId, ticks) };
}

function claimId(liveIds: Set<string>, runId: string, workflow: string): void {
  const what = `of "${workflow}" is already under way`;
  if (liveIds.has(runId)) throw runLive({ runId, workflow }, "Choose another `runId`, or leave it out.", what);
  liveIds.add(runId);
}

function callerContext(compiled: CompiledWorkflow, given: RunContext): CallerContext {
  if (isOfSecondCopy(given)) throw wrongOption("context", `is ${ofSecondCopy}`, secondCopyHint);
  if (!(given instanceof CallerContext)) {
    const hint = "Pass `handler.context`, `new Context(workflow)`, or `Context.fromDict(workflow, dict)`.";
    throw wrongOption("context", "is not the context of a run", hint);
  }
  if (given.compiled.name !== compiled.name) {
    throw new WorkflowError({
      code: "SNAPSHOT_MISMATCH",
      message: `The context is of the workflow "${given.compiled.name}", not of "${compiled.name}".`,
      hint: "Use it with its own workflow.",
      details: { reason: "workflow", workflow: given.compiled.name, expected: compiled.name },
    });
  }
  const { runId } = given;
  if (given.runner && isAtWork(given.runner))
    throw runLive({ runId }, "Await or cancel it first, or use another context.", "of this context is still under way");
  if (given.isWritten)
    throw new WorkflowError({
      code: "STATE_LOCKED",
      message: `An \`editState\` of the context "${runId}" is still at work.`,
      hint: "Await it before the run starts: what it writes later would be lost.",
      details: { runId },
    });
  return given;
}

/**
 * Returns whether the run or a child is at work. The end of a child that is still being stored counts: the next run would
 * work on its state, too.
 */
function isAtWork({ live, children }: LiveRun): boolean {
  return live || [...(children?.values() ?? [])].some(isAtWork);
}

export function limitsOf(
  { options }: CompiledWorkflow,
  { timeout, deadline }: Pick<ResumeOptions, "timeout" | "deadline">,
): { readonly timeoutMs: number | null; readonly deadlineMs: number | null } {
  return {
    timeoutMs: timeout === undefined ? options.timeoutMs : toMs(timeout, "timeout"),
    deadlineMs: deadline === undefined ? null : timeOf(deadline, "deadline"),
  };
}

/** A run that has not ended takes no second start event, and keeps its id: neither may be dropped silently. */
function inputToLive({ runId, status }: RunState): WorkflowError {
  const hint = "Continue it with `workflow.resume(context)`, or start the new run on another context.";
  return runLive({ runId, status }, hint, `of this context has not ended (${status}), so it takes no new input or id`);
}

function neverRun({ runId, status }: RunState): WorkflowError {
  const hint = "Start it with `workflow.run(input, { context })`.";
  return invalidOption(`The context "${runId}" has not run yet.`, hint, { runId, status });
}
