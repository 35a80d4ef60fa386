import { messageOf } from "@millrace/executor";
import { WorkflowError } from "millrace";
import { type Rules, unchecked } from "millrace/engine";
import { z } from "zod";
import { callRules, check } from "./check-options.js";
import type { AgentTool, Confirmation, ToolOptions } from "./tool.types.js";

const nameRule = /^[\w-]{1,64}$/;
/** Those of a tool: it may be made from another one. */
const rules: Rules<AgentTool> = {
  ...callRules,
  ...unchecked("kind name description parameters execute requiresConfirmation"),
};
const noParameters: z.ZodObject = z.object({});

/**
 * A function that the model may call.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when providers would not take the name.
 * @example
 * ```ts
 * const addItem = tool({
 *   name: "add_item",
 *   description: "Add an item to the shopping list.",
 *   parameters: z.object({ item: z.string() }),
 *   execute: ({ item }, { sessionState }) => {
 *     (sessionState["shopping_list"] as string[]).push(item);
 *     return `Added ${item}.`;
 *   },
 * });
 * ```
 */
export function tool<Parameters extends z.ZodType = typeof noParameters>(options: ToolOptions<Parameters>): AgentTool {
  if (!nameRule.test(options.name)) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `The tool name ${JSON.stringify(options.name)} is invalid: providers accept at most 64 letters, digits, "_" and "-".`,
      hint: "Rename the tool.",
      details: { tool: options.name },
    });
  }
  check(options.name, options as object as AgentTool, { rules });
  assertShowable(options);
  const { name, description, parameters = noParameters, execute, requiresConfirmation = false } = options;
  const { retry, timeout, limit } = options;
  const policies = { retry, timeout, limit };
  return Object.freeze({ kind: "tool", name, description, parameters, execute, requiresConfirmation, ...policies });
}

/** The rule of a tool with its defaults; `null` for a tool without one. */
export function confirmationOf({ requiresConfirmation: given }: AgentTool): Confirmation | null {
  if (given === false) return null;
  return typeof given === "object" ? given : { when: given };
}

/** The model gets the parameters as JSON schema, which lacks dates, bigints, sets and maps. */
function assertShowable({ name, parameters = noParameters }: ToolOptions<z.ZodType>): void {
  try {
    z.toJSONSchema(parameters, { io: "input" });
  } catch (cause) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `The parameters of the tool "${name}" cannot be shown to a model: ${messageOf(cause)}`,
      hint: "Take text or numbers and convert them, for example `z.iso.datetime().transform((text) => new Date(text))`.",
      details: { tool: name },
      cause,
    });
  }
}
