import type { LanguageModel } from "ai";
import { resolveOptions } from "./agent-options.js";
import type { TeamOptions } from "./agent-options.types.js";
import { invalid } from "./check-options.js";
import type { Executor, Member } from "./executor.types.js";
import { delegateTool } from "./delegate.js";
import { ModelExecutor } from "./model-executor.js";
import { memberText, nameMembers } from "./members.js";

/**
 * A leader that gives tasks to members. All share one session state, which the team keeps.
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

  /** @throws {WorkflowError} `OPTION_INVALID` or `STATE_UNSTORABLE` for options that are not allowed. */
  constructor(options: TeamOptions<Output>) {
    const { members: given, mode = "coordinate" } = options;
    if (mode !== "coordinate")
      throw invalid(`\`mode\` is ${JSON.stringify(mode)}.`, 'Leave it out, or write "coordinate".');
    const members = nameMembers(given);
    const settings = resolveOptions(
      { ...options, model: options.model ?? modelOf(given) },
      { kind: "team", members, memberText: memberText(members), runTools: (run) => [delegateTool(members, run)] },
    );
    super(settings, options.role);
    this.members = members.map(({ executor }: Member) => executor);
  }
}

function modelOf(members: readonly Executor[]): LanguageModel {
  const owner = members.find((member): member is ModelExecutor<unknown> => member instanceof ModelExecutor);
  if (owner !== undefined) return owner.model;
  throw invalid("The team has no `model`, and no member has one to lend.", "Give the team a `model`.");
}
