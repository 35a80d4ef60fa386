/** Checks the options of agents, teams and their runs, and reports all problems at once. */
import { WorkflowError } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";
import type { AgentOptions, TeamOptions } from "./agent-options.types.js";
import type { AgentRunOptions } from "./run-options.types.js";
import type { ExecutorSettings } from "./executor-settings.types.js";

const ofAgents: OptionNames<AgentOptions> = {
  model: true,
  name: true,
  id: true,
  role: true,
  description: true,
  instructions: true,
  resolveInContext: true,
  tools: true,
  sdkTools: true,
  outputSchema: true,
  maxSteps: true,
  maxRetries: true,
  modelSettings: true,
  readFile: true,
  sessions: true,
  sessionId: true,
  userId: true,
  sessionState: true,
  addSessionStateToContext: true,
  enableAgenticState: true,
  overwriteDbSessionState: true,
  addHistoryToContext: true,
  numHistoryRuns: true,
  dependencies: true,
  metadata: true,
};
const ofTeams: OptionNames<TeamOptions> = { ...ofAgents, members: true, mode: true };
const ofRuns: OptionNames<AgentRunOptions> = {
  runId: true,
  sessionId: true,
  userId: true,
  sessionState: true,
  images: true,
  videos: true,
  audio: true,
  files: true,
  dependencies: true,
  metadata: true,
  signal: true,
  idempotencyKey: true,
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkSettings(settings: ExecutorSettings, options: object): void {
  const { kind, name, tools } = settings;
  const strangers = tools.filter((tool) => tool?.kind !== "tool");
  const names = [...tools.map((tool) => tool?.name), ...Object.keys(settings.sdkTools)];
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  refuse(name, [
    ...unknownOptions(options, kind === "team" ? ofTeams : ofAgents),
    ...modelProblem(settings.model),
    ...strangers.map(() => "`tools` has something that `tool()` did not make: tools of the AI SDK go into `sdkTools`"),
    ...(strangers.length > 0 ? [] : [...twice].map((name) => `two tools have the name "${name}"`)),
    ...countProblem("maxSteps", settings.maxSteps, 1),
    ...countProblem("maxRetries", settings.maxRetries, 0),
    ...historyProblem(settings.numHistoryRuns),
  ]);
}

const mediaLists = ["images", "videos", "audio", "files"] as const;

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkRunOptions(owner: string, options: AgentRunOptions): void {
  const single = mediaLists.filter((kind) => options[kind] !== undefined && !Array.isArray(options[kind]));
  refuse(owner, [...unknownOptions(options, ofRuns), ...single.map((kind) => `\`${kind}\` is no list`)]);
}

export function modelProblem(model: unknown): string[] {
  if (typeof model === "string" ? model !== "" : typeof model === "object" && model !== null) return [];
  return [`\`model\` is ${model === "" ? "empty" : String(model)}, not a language model of the AI SDK`];
}

export function countProblem(option: string, count: number, least: number): string[] {
  if (Number.isInteger(count) && count >= least) return [];
  return [`\`${option}\` is ${String(count)}, not an integer of at least ${least}`];
}

/** The limit is low because each of the earlier runs is read from the store. */
export function historyProblem(numHistoryRuns: number): string[] {
  if (Number.isInteger(numHistoryRuns) && numHistoryRuns >= 0 && numHistoryRuns <= 1_000) return [];
  return [`\`numHistoryRuns\` is ${String(numHistoryRuns)}, not a whole number from 0 to 1,000`];
}

export function invalid(message: string, hint: string): WorkflowError {
  return new WorkflowError({ code: "OPTION_INVALID", message, hint });
}

export function refuse(owner: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `The options of "${owner}" are wrong: ${problems.join("; ")}.`,
    hint: "Correct them, or leave them out.",
    details: { problems },
  });
}
