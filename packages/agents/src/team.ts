import type { LanguageModel } from "ai";
import { resolveOptions } from "./agent-options.js";
import { idOf } from "./settings/agent-id.js";
import type { TeamOptions } from "./settings/agent-options.types.js";
import { invalid } from "./settings/check-options.js";
import type { Executor, Member } from "./settings/executor.types.js";
import { ModelExecutor } from "./model-executor.js";

/**
 * A leader that delegates tasks to members. All share one session state, which the team keeps.
 *
 * @example
 * ```ts
 * const team = new Team({ name: "Research Team", members: [newsAgent, webAgent], instructions: "Research the topic." });
 * const { content, memberRuns } = await team.run("AI trends");
 * ```
 */
export class Team<Output = string> extends ModelExecutor<Output> {
  readonly kind = "team";
  readonly members: readonly Executor[];

  /** @throws {WorkflowError} `OPTION_INVALID` or `VALUE_UNSERIALIZABLE` for options that are not allowed. */
  constructor(options: TeamOptions<Output>) {
    const { members: given, mode = "coordinate" } = options;
    if (mode !== "coordinate")
      throw invalid(`\`mode\` is ${JSON.stringify(mode)}.`, 'Leave it out, or write "coordinate".');
    const members = nameMembers(given);
    const settings = resolveOptions(
      { ...options, model: options.model ?? modelOf(given) },
      { kind: "team", members, memberText: memberText(members) },
    );
    super(settings, options.role);
    this.members = members.map(({ executor }: Member) => executor);
  }
}

function modelOf(members: readonly Executor[]): LanguageModel {
  const owner = members.find((member): member is ModelExecutor<unknown> => member instanceof ModelExecutor);
  if (owner !== undefined) return owner.model;
  throw invalid("The team has no `model`, and no member has one to lend.", "Set the `model` of the team.");
}

/** @throws {WorkflowError} `OPTION_INVALID` for an empty team, or for two members with the same name. */
function nameMembers(executors: readonly Executor[]): readonly Member[] {
  if (!Array.isArray(executors)) throw invalid("`members` is not a list.", "Add at least one member.");
  if (executors.length === 0) throw invalid("`members` is empty.", "Add at least one member.");
  const members = executors.map((executor) => ({ id: idOf(executor.name), executor }));
  const twice = members.find(({ id }, index) => members.findIndex((other) => other.id === id) !== index);
  if (twice === undefined) return members;
  throw invalid(`Two members have the name "${twice.id}".`, "Name each member differently.");
}

/** The part of the leader's system prompt about its members. */
function memberText(members: readonly Member[]): string {
  const lines = members.map(({ id, executor }) => {
    const about = executor.role ?? executor.description;
    return `- ${id} (${executor.kind})${about === undefined ? "" : `: ${about}`}`;
  });
  return [
    "You lead a team. Delegate tasks to its members with `delegate_task_to_member`, use what they answer, and write the final",
    "answer yourself. A member sees nothing but its task: say in it all that the member has to know.",
    `<team_members>\n${lines.join("\n")}\n</team_members>`,
  ].join("\n");
}
