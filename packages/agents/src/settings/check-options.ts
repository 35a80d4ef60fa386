/** Checks the options of agents, teams and their runs, and reports all problems at once. */

import { historyRuns, userId } from "@millrace/executor";
import { WorkflowError } from "millrace";
import {
  callable,
  checkOptions,
  duration,
  list,
  type OptionChecks,
  object,
  oneOf,
  type Rule,
  type Rules,
  text,
  unchecked,
  wholeNumber,
  withMethods,
} from "millrace/engine";
import { handoffName } from "./agent-id.js";
import type { AgentOptions, TeamOptions } from "./agent-options.types.js";
import type { CallPolicies } from "./call-policies.types.js";
import type { ExecutorSettings } from "./executor-settings.types.js";
import { settingsOf } from "./known-settings.js";
import type { RecordOptions } from "./record.types.js";
import type { AgentRunOptions, ContinueOptions, StepRunOptions } from "./run-options.types.js";

export const languageModel: Rule = (model, option) => {
  if (typeof model === "string" ? model !== "" : typeof model === "object" && model !== null) return [];
  return [`\`${option}\` is ${model === "" ? "empty" : String(model)}, not a language model of the AI SDK`];
};

const tools: Rule = (given = []) =>
  (given as AgentOptions["tools"] & {})
    .filter((tool) => tool?.kind !== "tool")
    .map(() => "`tools` has something that `tool()` did not make: tools of the AI SDK go into `sdkTools`");

const handoffs: Rule = (given = []) =>
  (given as readonly { readonly name: string }[])
    .filter((agent) => settingsOf(agent) === null)
    .map(({ name }) => `\`canHandOffTo\` has "${name}", which is no agent and no team of this package`);

/** Of the calls of a model or a tool. */
export const callRules: Rules<CallPolicies> = {
  retry: withMethods("a retry policy", "next"),
  timeout: duration,
  limit: text,
};

/** Of what is recorded of the requests of model calls. */
export const recordRules: Rules<RecordOptions<never>> = {
  record: oneOf("full", "redacted", "off"),
  redact: callable,
};

/** @returns the problem of a `redact` that is never called. */
export function redactorProblems({ record, redact }: RecordOptions<never>): string[] {
  if (redact === undefined || record === undefined || record === "redacted") return [];
  return [`\`redact\` is only called with \`record: "redacted"\`, but \`record\` is ${JSON.stringify(record)}`];
}

export const agentRules: Rules<AgentOptions> = {
  model: languageModel,
  tools,
  maxSteps: wholeNumber(1),
  maxRetries: wholeNumber(0),
  outputRepairs: wholeNumber(0),
  maxParallelTools: wholeNumber(1),
  numHistoryRuns: historyRuns,
  userId,
  ...unchecked("name id role description instructions resolveInContext sdkTools outputSchema modelSettings"),
  ...unchecked("readFile sessions sessionId sessionState addSessionStateToContext enableAgenticState"),
  ...unchecked("overwriteDbSessionState addHistoryToContext dependencies metadata"),
  canHandOffTo: handoffs,
  ...callRules,
  limits: object,
  ...(recordRules as Pick<Rules<AgentOptions>, "record" | "redact">),
  prices: object,
  atBudget: callable,
  ...unchecked("stopWhen prepareStep guards toolTimeout"),
};

export const teamRules: Rules<TeamOptions> = { ...agentRules, ...unchecked("members mode") };

export const continueRules: Rules<ContinueOptions> = unchecked("sessionState dependencies metadata signal");

const inputRules = { images: list, videos: list, audio: list, files: list, userId };

export const runRules: Rules<AgentRunOptions> = {
  ...continueRules,
  ...inputRules,
  ...unchecked("runId sessionId idempotencyKey"),
};

export const stepRules: Rules<StepRunOptions> = {
  ...inputRules,
  ...unchecked("ctx key statePath history sessionId dependencies metadata"),
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function check<Options extends object>(owner: string, options: Options, checks: OptionChecks<Options>): void {
  checkOptions(`The options of "${owner}" are wrong`, options, checks);
}

/** Each tool is known by its name. */
export function sameNames({ tools, sdkTools, canHandOffTo }: ExecutorSettings): string[] {
  const names = [
    ...tools.map((tool) => tool?.name),
    ...sdkTools.flatMap((one) => Object.keys(one)),
    ...canHandOffTo.map(handoffName),
  ];
  const twice = new Set(names.filter((name, index) => name !== undefined && names.indexOf(name) !== index));
  return [...twice].map((name) => `two tools have the name "${name}"`);
}

export function invalid(message: string, hint: string): WorkflowError {
  return new WorkflowError({ code: "OPTION_INVALID", message, hint });
}
