import type { AgentOptions } from "./agent-options.types.js";
import { checkSettings } from "./check-options.js";
import type { ExecutorSettings } from "./executor-settings.types.js";
import { idOf } from "./naming.js";
import { plainState } from "./state/plain-state.js";
import { newId } from "./system.js";
import { updateSessionStateTool } from "./update-session-state.js";

type Parts = Pick<ExecutorSettings, "kind" | "members" | "memberText" | "runTools">;

/**
 * Fills in the defaults and checks the whole.
 * @throws {WorkflowError} `OPTION_INVALID` or `STATE_UNSTORABLE`.
 */
export function resolveOptions(options: AgentOptions<unknown>, parts: Parts): ExecutorSettings {
  const name = options.name ?? parts.kind;
  const settings: ExecutorSettings = {
    ...parts,
    id: options.id ?? idOf(name),
    name,
    model: options.model,
    modelSettings: options.modelSettings ?? {},
    description: options.description,
    instructions: options.instructions ?? "",
    resolveInContext: options.resolveInContext ?? true,
    tools: [...(options.tools ?? []), ...(options.enableAgenticState === true ? [updateSessionStateTool] : [])],
    sdkTools: options.sdkTools ?? {},
    outputSchema: options.outputSchema,
    maxSteps: options.maxSteps ?? 20,
    maxRetries: options.maxRetries ?? 2,
    readFile: options.readFile,
    ...sessionSettings(options),
    dependencies: options.dependencies ?? {},
    metadata: options.metadata ?? {},
  };
  checkSettings(settings, options);
  return Object.freeze(settings);
}

function sessionSettings(options: AgentOptions<unknown>) {
  return {
    sessions: options.sessions,
    sessionId: options.sessionId ?? newId(),
    userId: options.userId || null,
    sessionState: plainState(options.sessionState ?? {}),
    addSessionStateToContext: options.addSessionStateToContext ?? false,
    overwriteDbSessionState: options.overwriteDbSessionState ?? false,
    addHistoryToContext: options.addHistoryToContext ?? false,
    numHistoryRuns: options.numHistoryRuns ?? 3,
  };
}
