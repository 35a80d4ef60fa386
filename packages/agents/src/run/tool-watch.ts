import type { ToolExecution } from "../events.types.js";
import type { ActiveRun } from "./active-run.types.js";
import { emitToolCompleted, emitToolStarted } from "./run-events.js";

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

type Ended = Call &
  (
    | { readonly type: "tool-result"; readonly output: unknown }
    | { readonly type: "tool-error"; readonly error: unknown }
  );

export function toolStarted(run: ActiveRun, call: Call): void {
  emitToolStarted(run, { ...callFacts(call), result: null, toolCallError: false });
}

/** Reports the end of a tool call. A call to a member that waits for a person is reported once the member has ended. */
export function toolEnded(run: ActiveRun, call: Ended): ToolExecution {
  const failed = call.type === "tool-error";
  const tool: ToolExecution = {
    ...callFacts(call),
    result: failed ? messageOf(call.error) : call.output,
    toolCallError: failed,
  };
  if (run.waiting.some(({ toolCallId }) => toolCallId === call.toolCallId)) return tool;
  run.tools.push(tool);
  emitToolCompleted(run, tool);
  return tool;
}

function callFacts({ toolCallId, toolName, input }: Call): Pick<ToolExecution, "toolCallId" | "toolName" | "toolArgs"> {
  return { toolCallId, toolName, toolArgs: input };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
