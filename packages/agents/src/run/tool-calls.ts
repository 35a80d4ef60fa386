/**
 * Gives the tools to the model and the run context to the tools.
 *
 * @module
 */
import { dynamicTool, type ToolApprovalConfiguration, type ToolExecutionOptions, type ToolSet } from "ai";
import type { RunContext } from "../settings/run-context.types.js";
import { confirmationOf } from "../settings/tool.js";
import type { AgentTool, ConfirmationContext, ToolContext } from "../settings/tool.types.js";
import { contextOfCall } from "../state/live-state.js";
import type { ActiveRun } from "./active-run.types.js";
import { toolStarted } from "./run-events.js";
import type { ShownCalls } from "./shown-calls.js";

/** With `shown`, a tool starts only once its call was shown. */
export function toolsOf(run: ActiveRun, shown: ShownCalls | null): ToolSet {
  const { tools, runTools, sdkTools } = run.settings;
  const own = [...tools, ...runTools(run)].map((tool) => [tool.name, modelTool(tool, { run, shown })]);
  return { ...sdkTools, ...Object.fromEntries(own) };
}

/**
 * Decides which calls wait for a person. Each call is decided separately and not by its id, because some models give
 * every call the same id. Tools of the SDK itself declare it (`needsApproval`).
 */
export function approvalsOf({
  settings,
  context,
}: ActiveRun): ToolApprovalConfiguration<ToolSet, Record<string, unknown>> {
  const rules = settings.tools.filter(mayNeedConfirmation).map((tool) => {
    const { name } = tool;
    const rule = confirmationOf(tool)?.when ?? false;
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

export function mayNeedConfirmation(tool: AgentTool): boolean {
  return confirmationOf(tool) !== null;
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
      // The stream has already reported other tools.
      if (mayNeedConfirmation(tool))
        toolStarted(run, { toolCallId: options.toolCallId, toolName: tool.name, input: args });
      const idempotencyKey = run.keys.next(tool.name, args);
      return plainResult(await tool.execute?.(args, toolContext(run, options, idempotencyKey)));
    },
  });
}

function toolContext(
  { context, job, media }: ActiveRun,
  { toolCallId, abortSignal }: ToolExecutionOptions<unknown>,
  idempotencyKey: string,
): ToolContext {
  return {
    runContext: contextOfCall(context, idempotencyKey),
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
    show: () => {},
  };
}

/** Makes the plain data that the model, the events and the session all get. */
export function plainResult(result: unknown): unknown {
  if (typeof result === "string") return result;
  const json = JSON.stringify(result);
  return json === undefined ? null : JSON.parse(json);
}
