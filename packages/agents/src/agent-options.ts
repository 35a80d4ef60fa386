import { toMs } from "millrace/engine";
import type { AgentOptions } from "./settings/agent-options.types.js";
import { idOf } from "./settings/agent-id.js";
import { modelRetry } from "./run/call-options.js";
import { agentRules, check, redactorProblems, sameNames, teamRules } from "./settings/check-options.js";
import type { ExecutorSettings } from "./settings/executor-settings.types.js";
import { plainState, assign } from "./state/live-state.js";
import { newId } from "./system.js";
import { z } from "zod";
import { present } from "./settings/plain.js";
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

const defaults = {
  modelSettings: {},
  instructions: "",
  resolveInContext: true,
  maxSteps: 20,
  limits: {},
  outputRepairs: 1,
  maxParallelTools: 8,
  canHandOffTo: [],
  guards: {},
  addSessionStateToContext: false,
  overwriteDbSessionState: false,
  addHistoryToContext: false,
  numHistoryRuns: 3,
  dependencies: {},
  metadata: {},
};

type Parts = Pick<ExecutorSettings, "kind" | "members" | "memberText">;

/**
 * Fills in the defaults and checks the whole.
 * @throws {WorkflowError} `OPTION_INVALID` or `VALUE_UNSERIALIZABLE`.
 */
export function resolveOptions(options: AgentOptions<unknown>, parts: Parts): ExecutorSettings {
  const { retry, timeout, limit, maxRetries = 2, enableAgenticState = false, stopWhen = [], sdkTools = [] } = options;
  const { name = parts.kind, id = idOf(name), tools = [], sessionState = {}, sessionId = newId(), userId } = options;
  const settings: ExecutorSettings = {
    ...defaults,
    ...present(options),
    ...parts,
    ...{ model: options.model, id, name, sessionId, userId: userId || null },
    tools: enableAgenticState ? [...tools, updateSessionStateTool] : [...tools],
    modelCalls: { retry: retry ?? modelRetry(maxRetries), timeout, limit },
    stopWhen: [stopWhen].flat(),
    sdkTools: [sdkTools].flat(),
    ...(options.toolTimeout !== undefined && { toolTimeout: toMs(options.toolTimeout, "toolTimeout") }),
    sessionState: plainState(sessionState),
  };
  const rules = parts.kind === "team" ? (teamRules as typeof agentRules) : agentRules;
  check(name, options, { rules, besides: [...sameNames(settings), ...redactorProblems(options as never)] });
  return Object.freeze(settings);
}
