import type { ToolSet } from "ai";
import type { CallPolicies } from "./call-policies.types.js";
import { callRules, check } from "./check-options.js";

/** Field of a tool; the AI SDK does not look at it. */
const field = Symbol.for("@millrace/agents/policies");

/**
 * Adds policies to tools of the AI SDK itself, such as those of an MCP server: for `sdkTools` of agents, and for the
 * tools of `recorded`. They mean what they mean for `tool`: the model gets the error of the last attempt.
 *
 * @returns copies of the tools.
 * @throws {WorkflowError} `OPTION_INVALID`
 * @example
 * ```ts
 * new Agent({ model, sdkTools: async () => withPolicies(await client.tools(), { retry, timeout: "30s" }) });
 * ```
 */
export function withPolicies<Tools extends ToolSet>(tools: Tools, policies: CallPolicies): Tools {
  check("withPolicies", policies, { rules: callRules });
  const own = Object.entries(tools).map(([name, tool]) => [name, { ...tool, [field]: policies }]);
  return Object.fromEntries(own) as Tools;
}

/** The policies of a tool of the AI SDK. */
export function policiesOf(tool: ToolSet[string]): CallPolicies {
  return (tool as { readonly [field]?: CallPolicies })[field] ?? {};
}
