import { invalid } from "./check-options.js";
import type { Executor, Member } from "./executor.types.js";
import { idOf } from "./naming.js";

/** @throws {WorkflowError} `OPTION_INVALID` for an empty team, or for two members with the same name. */
export function nameMembers(executors: readonly Executor[]): readonly Member[] {
  if (!Array.isArray(executors)) throw invalid("`members` is no list.", "Give the team at least one member.");
  if (executors.length === 0) throw invalid("`members` is empty.", "Give the team at least one member.");
  const members = executors.map((executor) => ({ id: idOf(executor.name), executor }));
  const twice = members.find(({ id }, index) => members.findIndex((other) => other.id === id) !== index);
  if (twice === undefined) return members;
  throw invalid(`Two members go by the name "${twice.id}".`, "Give each member a `name` of its own.");
}

/** The part of the leader's system prompt about its members. */
export function memberText(members: readonly Member[]): string {
  const lines = members.map(({ id, executor }) => {
    const about = executor.role ?? executor.description;
    return `- ${id} (${executor.kind})${about === undefined ? "" : `: ${about}`}`;
  });
  return [
    "You lead a team. Give its members tasks with `delegate_task_to_member`, use what they answer, and write the final",
    "answer yourself. A member sees nothing but its task: say in it all that the member has to know.",
    `<team_members>\n${lines.join("\n")}\n</team_members>`,
  ].join("\n");
}
