/**
 * Gives the model the run's tools, and the tools the run's context.
 *
 * @module
 */
import { dynamicTool, type ToolApprovalConfiguration, type ToolExecutionOptions, type ToolSet } from "ai";
import type { RunContext } from "../run-context.types.js";
import type { AgentTool, ConfirmationContext, ToolContext } from "../tool.types.js";
import type { ActiveRun } from "./active-run.types.js";
import type { ShownCalls } from "./shown-calls.js";
import { toolStarted } from "./tool-watch.js";

/** With `shown`, tools wait for their call to be shown. */
export function toolsOf(run: ActiveRun, shown: ShownCalls | null): ToolSet {
  const { tools, runTools, sdkTools } = run.settings;
  const own = [...tools, ...runTools(run)].map((tool) => [tool.name, modelTool(tool, { run, shown })]);
  return { ...sdkTools, ...Object.fromEntries(own) };
}

/**
 * Which calls wait for a person. Each is decided for itself, not by its id: there are models that give every call the same one.
 * Tools of the SDK itself say so by themselves (`needsApproval`).
 */
export function approvalsOf({
  settings,
  context,
}: ActiveRun): ToolApprovalConfiguration<ToolSet, Record<string, unknown>> {
  const rules = settings.tools.filter(mayNeedConfirmation).map(({ name, requiresConfirmation: rule }) => {
    const decide = async (input: unknown, { toolCallId }: { readonly toolCallId: string }) => {
      const isNeeded = typeof rule === "function" ? await rule(input, confirmationContext(context, toolCallId)) : rule;
      return isNeeded ? ("user-approval" as const) : undefined;
    };
    return [name, decide] as const;
  });
  return Object.fromEntries(rules);
}

function confirmationContext(runContext: RunContext, toolCallId: string): ConfirmationContext {
  return { runContext, sessionState: runContext.sessionState, signal: runContext.signal, toolCallId };
}

export function mayNeedConfirmation({ requiresConfirmation }: AgentTool): boolean {
  return requiresConfirmation !== false;
}

interface Calls {
  readonly run: ActiveRun;
  readonly shown: ShownCalls | null;
}

function modelTool(tool: AgentTool, { run, shown }: Calls): ToolSet[string] {
  return dynamicTool({
    description: tool.description,
    inputSchema: tool.parameters,
    execute: async (args, options) => {
      if (shown !== null) await shown.wait(options.toolCallId);
      run.job.signal.throwIfAborted();
      // Of other tools the stream has told already.
      if (mayNeedConfirmation(tool))
        toolStarted(run, { toolCallId: options.toolCallId, toolName: tool.name, input: args });
      const idempotencyKey = run.keys.next(tool.name, args);
      return plainResult(await tool.execute(args, toolContext(run, options, idempotencyKey)));
    },
  });
}

function toolContext(
  { context, job, media }: ActiveRun,
  { toolCallId, abortSignal }: ToolExecutionOptions<unknown>,
  idempotencyKey: string,
): ToolContext {
  return {
    runContext: context,
    get sessionState() {
      return context.sessionState;
    },
    set sessionState(next) {
      context.sessionState = next;
    },
    signal: abortSignal ?? job.signal,
    toolCallId,
    idempotencyKey,
    addMedia: (item) => void media.push(item),
  };
}

/** What the model, the events and the session see is the same plain data. */
export function plainResult(result: unknown): unknown {
  if (typeof result === "string") return result;
  const json = JSON.stringify(result);
  return json === undefined ? null : JSON.parse(json);
}
