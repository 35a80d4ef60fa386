import { toMs } from "millrace/engine";
import type { AgentOptions } from "./settings/agent-options.types.js";
import { idOf } from "./settings/agent-id.js";
import { modelRetry } from "./run/call-options.js";
import { agentRules, check, sameNames, teamRules } from "./settings/check-options.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import { plainState, assign } from "./state/live-state.js";
import { newId } from "./system.js";
import { z } from "zod";
import { tool } from "./settings/tool.js";
import type { AgentTool } from "./settings/tool.types.js";

/** The tool with which the model itself changes the session state. */
const updateSessionStateTool: AgentTool = tool({
  name: "update_session_state",
  description:
    "Update the session state. Every given key is set to its new value as a whole; keys that are not given stay as they are.",
  parameters: z.object({
    session_state_updates: z.record(z.string(), z.unknown()).describe("The keys to set, with their new values."),
  }),
  execute: ({ session_state_updates: updates }, { sessionState }) => {
    for (const [key, value] of Object.entries(updates)) assign(sessionState, key, value);
    return `Updated session state: ${JSON.stringify(sessionState)}`;
  },
});

type Parts = Pick<ExecutorSettings, "kind" | "members" | "memberText">;

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
    modelCalls: {
      retry: options.retry ?? modelRetry(options.maxRetries ?? 2),
      timeout: options.timeout,
      limit: options.limit,
    },
    limits: options.limits ?? {},
    outputRepairs: options.outputRepairs ?? 1,
    maxParallelTools: options.maxParallelTools ?? 8,
    toolTimeoutMs: options.toolTimeout === undefined ? null : toMs(options.toolTimeout, "toolTimeout"),
    canHandOffTo: options.canHandOffTo ?? [],
    stopWhen: [options.stopWhen ?? []].flat(),
    prepareStep: options.prepareStep,
    guards: options.guards ?? {},
    redact: options.redact,
    readFile: options.readFile,
    ...sessionSettings(options),
    dependencies: options.dependencies ?? {},
    metadata: options.metadata ?? {},
  };
  const rules = parts.kind === "team" ? (teamRules as typeof agentRules) : agentRules;
  check(name, options, { rules, besides: sameNames(settings) });
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
