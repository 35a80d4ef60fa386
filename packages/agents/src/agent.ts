import { resolveOptions } from "./agent-options.js";
import type { AgentOptions } from "./settings/agent-options.types.js";
import { ModelExecutor } from "./model-executor.js";

/**
 * A model with instructions, tools and a session state.
 *
 * @example
 * ```ts
 * const agent = new Agent({
 *   model,
 *   sessions: memorySessions(),
 *   sessionState: { shopping_list: [] },
 *   tools: [addItem],
 *   instructions: "Current shopping list: {shopping_list}",
 * });
 * const { content, sessionState } = await agent.run("Add milk and bread.");
 * ```
 */
export class Agent<Output = string> extends ModelExecutor<Output> {
  readonly kind = "agent";

  /** @throws {WorkflowError} `OPTION_INVALID` or `VALUE_UNSERIALIZABLE` for options that are not allowed. */
  constructor(options: AgentOptions<Output>) {
    super(resolveOptions(options, { kind: "agent", members: [], memberText: "" }), options.role);
  }
}
