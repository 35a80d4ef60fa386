/**
 * The names of all that this package reports: one table for the code, the documentation and the dashboard.
 *
 * Names and units follow OpenTelemetry's conventions: https://opentelemetry.io/docs/specs/semconv/general/naming/
 *
 * @module
 */

export const attributes = {
  workflow: "millrace.workflow.name",
  runId: "millrace.run.id",
  runStatus: "millrace.run.status",
  step: "millrace.step.name",
  item: "millrace.step.item",
  attempt: "millrace.step.attempt",
  /** How an attempt ended. */
  attemptStatus: "millrace.step.status",
  effect: "millrace.effect.key",
  effectLabel: "millrace.effect.label",
  effectAttempt: "millrace.effect.attempt",
  waitKind: "millrace.wait.kind",
  waitTimedOut: "millrace.wait.timed_out",
  /** Why a span links to another one. */
  link: "millrace.link",
  queue: "millrace.queue.name",
  stored: "millrace.store.stored",
  errorType: "error.type",
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  tokenType: "gen_ai.token.type",
  agent: "gen_ai.agent.name",
  agentId: "gen_ai.agent.id",
  agentDescription: "gen_ai.agent.description",
  /** How a run of an agent ended. */
  agentStatus: "millrace.agent.status",
  conversation: "gen_ai.conversation.id",
  tool: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
} as const;

export interface MetricFacts {
  readonly kind: "counter" | "histogram" | "gauge";
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
}

const { workflow, runStatus, step, attemptStatus, errorType, queue, stored } = attributes;
const model = [attributes.operation, attributes.provider, attributes.requestModel] as const;

export type CounterName =
  | "millrace.run.started"
  | "millrace.run.ended"
  | "millrace.run.resumed"
  | "millrace.step.retries"
  | "millrace.runtime.lease.lost";
export type HistogramName =
  | "millrace.run.duration"
  | "millrace.step.duration"
  | "millrace.runtime.claim.lag"
  | "millrace.store.commit.duration"
  | "millrace.store.commit.size"
  | "millrace.store.commit.run.count"
  | "gen_ai.client.operation.duration"
  | "gen_ai.client.token.usage";
export type MetricName = CounterName | HistogramName | "millrace.runtime.run.count" | "millrace.queue.depth";

export const metricFacts: { readonly [Name in MetricName]: MetricFacts } = {
  "millrace.run.started": {
    kind: "counter",
    unit: "{run}",
    description: "Runs that began.",
    attributes: [workflow],
  },
  "millrace.run.ended": {
    kind: "counter",
    unit: "{run}",
    description: "Runs that ended, by how.",
    attributes: [workflow, runStatus],
  },
  "millrace.run.resumed": {
    kind: "counter",
    unit: "{run}",
    description: "Runs that came back into memory, or continued after their end.",
    attributes: [workflow],
  },
  "millrace.run.duration": {
    kind: "histogram",
    unit: "s",
    description: "From the start of a run to its end, with its waits.",
    attributes: [workflow, runStatus],
  },
  "millrace.step.duration": {
    kind: "histogram",
    unit: "s",
    description: "One attempt of a step, with its waits. Its count is the number of attempts.",
    attributes: [workflow, step, attemptStatus, errorType],
  },
  "millrace.step.retries": {
    kind: "counter",
    unit: "{retry}",
    description: "Failed attempts that another one follows.",
    attributes: [workflow, step],
  },
  "millrace.runtime.run.count": {
    kind: "gauge",
    unit: "{run}",
    description: "Runs in the memory of this process, at work or waiting.",
    attributes: [],
  },
  "millrace.runtime.claim.lag": {
    kind: "histogram",
    unit: "s",
    description: "From when a run was due to when a process had claimed it.",
    attributes: [workflow],
  },
  "millrace.runtime.lease.lost": {
    kind: "counter",
    unit: "{run}",
    description: "Runs that were taken from this process, because their lease had run out.",
    attributes: [workflow],
  },
  "millrace.queue.depth": {
    kind: "gauge",
    unit: "{run}",
    description: "Runs that wait for a place of a queue, in the whole store.",
    attributes: [queue],
  },
  "millrace.store.commit.duration": {
    kind: "histogram",
    unit: "s",
    description: "One transaction with what all runs of a turn have to store.",
    attributes: [stored],
  },
  "millrace.store.commit.size": {
    kind: "histogram",
    unit: "{char}",
    description: "Texts in one transaction, in UTF-16 units.",
    attributes: [stored],
  },
  "millrace.store.commit.run.count": {
    kind: "histogram",
    unit: "{run}",
    description: "Runs in one transaction.",
    attributes: [stored],
  },
  "gen_ai.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    description: "One call of a model.",
    attributes: [...model, errorType],
  },
  "gen_ai.client.token.usage": {
    kind: "histogram",
    unit: "{token}",
    description: "Tokens of one call of a model.",
    attributes: [...model, attributes.tokenType],
  },
};

export interface SpanFacts {
  readonly description: string;
  readonly attributes: readonly string[];
}

const { runId, item, attempt } = attributes;

/** The first word of a span's name. */
export type SpanWord = "start" | "run" | "step" | "effect" | "wait" | "invoke_agent" | "chat" | "execute_tool";

export const spanFacts: { readonly [Word in SpanWord]: SpanFacts } = {
  start: {
    description: "The call that starts a run, where no span is active and none was given. The run is its child.",
    attributes: [workflow, runId],
  },
  run: {
    description: "A run, from its start to its end. Reported once, by the process in which it ends.",
    attributes: [workflow, runId, runStatus, errorType],
  },
  step: {
    description: "An attempt of a step.",
    attributes: [workflow, runId, step, item, attempt, attemptStatus, errorType],
  },
  effect: {
    description: "An attempt of a `ctx.run`.",
    attributes: [attributes.effect, attributes.effectLabel, attributes.effectAttempt, errorType],
  },
  wait: {
    description:
      "A wait for an event, a sleep, a child or the next attempt of a `ctx.run`, from its call to its answer, in any process.",
    attributes: [workflow, runId, step, item, attempt, attributes.waitKind, attributes.waitTimedOut],
  },
  invoke_agent: {
    description: "A run of an agent or a team in a step, with the tokens of its calls. What it does is below it.",
    attributes: [
      ...model,
      attributes.agent,
      attributes.agentId,
      attributes.agentDescription,
      attributes.conversation,
      attributes.agentStatus,
      attributes.finishReasons,
      attributes.inputTokens,
      attributes.outputTokens,
      errorType,
    ],
  },
  chat: {
    description: "A call of a model by an agent.",
    attributes: [
      ...model,
      attributes.agent,
      attributes.responseId,
      attributes.finishReasons,
      attributes.inputTokens,
      attributes.outputTokens,
      errorType,
    ],
  },
  execute_tool: {
    description: "A tool that the model has called.",
    attributes: [attributes.operation, attributes.tool, attributes.toolCall, errorType],
  },
};
