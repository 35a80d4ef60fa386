import { isObject } from "../session/json.js";
import type { ToolRequirement } from "./executor.types.js";

interface Titled {
  readonly title: string;
  readonly details?: unknown;
}

/** The call that a question of `ctx.ask` is about. Agents say it in the details; any other question is one by its title. */
export function callOfQuestion({ title, details }: Titled): ToolRequirement {
  const { id, toolName, input, stepId: _, stepName: __, ...others } = isObject(details) ? details : { about: details };
  const toolArgs = input === undefined ? others : input;
  return {
    toolCallId: typeof id === "string" ? id : title,
    toolName: typeof toolName === "string" ? toolName : title,
    toolArgs,
  };
}
