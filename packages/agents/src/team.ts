import type { LanguageModel } from "ai";
import { type AgentOptions, invalid, resolveOptions } from "./agent-options.js";
import type { Executor } from "./executor.types.js";
import { delegateTool } from "./delegate.js";
import { ModelExecutor } from "./model-executor.js";
import { type Member, memberText, nameMembers } from "./members.js";

export interface TeamOptions<Output = string> extends Omit<AgentOptions<Output>, "model"> {
  /** Agents, teams, or anything of yours that works like one. Their names must differ. */
  readonly members: readonly Executor[];
  /** The leader's. @default the model of the first member that has one */
  readonly model?: LanguageModel;
  /** `coordinate`: the leader gives tasks to members and puts the answer together. @default "coordinate" */
  readonly mode?: "coordinate";
}

/**
 * A leader that hands tasks to members. All share one session state, which the team keeps.
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

  /** @throws {WorkflowError} `OPTION_INVALID` or `STATE_UNSTORABLE` for options that cannot be. */
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
