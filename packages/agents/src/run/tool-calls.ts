/**
 * Gives the model the run's tools, and the tools the run's context.
 *
 * @module
 */
import { dynamicTool, type ToolExecutionOptions, type ToolSet } from "ai";
import type { ActiveRun } from "../settings.types.js";
import type { AgentTool, ToolContext } from "../tool.types.js";
import { callKeys } from "./call-keys.js";
import type { ShownCalls } from "./shown-calls.js";

/** With `shown`, tools wait for their call to be shown. */
export function toolsOf(run: ActiveRun, shown: ShownCalls | null): ToolSet {
  const { tools, runTools, sdkTools } = run.settings;
  const keyOf = callKeys(run.job.idempotencyKey);
  const own = [...tools, ...runTools(run)].map((tool) => [tool.name, modelTool(tool, { run, keyOf, shown })]);
  return { ...sdkTools, ...Object.fromEntries(own) };
}

interface Calls {
  readonly run: ActiveRun;
  readonly keyOf: (toolName: string, args: unknown) => string;
  readonly shown: ShownCalls | null;
}

function modelTool(tool: AgentTool, { run, keyOf, shown }: Calls): ToolSet[string] {
  return dynamicTool({
    description: tool.description,
    inputSchema: tool.parameters,
    execute: async (args, options) => {
      if (shown !== null) await shown.wait(options.toolCallId);
      run.job.signal.throwIfAborted();
      const idempotencyKey = keyOf(tool.name, args);
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
function plainResult(result: unknown): unknown {
  if (typeof result === "string") return result;
  const json = JSON.stringify(result);
  return json === undefined ? null : JSON.parse(json);
}
