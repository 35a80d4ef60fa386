/** Questions of executors (`ctx.ask`), as requirements of the pipeline, and the fields that answer them. */

import { callOfQuestion, isObject } from "@millrace/executor";
import type { PendingPrompt, QuestionEvent } from "millrace";
import type { HumanDecision, RequirementData } from "./requirement.types.js";

/** Facts about the step that asks a question. */
export interface AskingStep {
  readonly stepId: string;
  readonly stepName: string;
}

/** The details that its prompt has. */
export function withStep(details: unknown, step: AskingStep): object {
  if (isObject(details)) return { ...details, ...step };
  return details === undefined ? step : { about: details, ...step };
}

export function requirementOfPrompt({
  event,
  step,
  askedAtMs,
  dueAtMs,
}: PendingPrompt<QuestionEvent>): RequirementData {
  const { stepId = "", stepName = step ?? "" } = Object(event.details) as Partial<AskingStep>;
  return {
    kind: "executor",
    stepId,
    stepName,
    stepIndex: stepId === "" ? [] : stepId.split(".").map(Number),
    stepType: "Step",
    message: event.title,
    fields: [],
    choices: [],
    allowMultipleSelections: false,
    output: null,
    tools: [callOfQuestion(event)],
    error: null,
    retryCount: 0,
    maxRetries: 0,
    onReject: "skip",
    askedAtMs: askedAtMs ?? 0,
    timeoutAtMs: dueAtMs,
    onTimeout: "cancel",
  };
}

/** The fields that answer the question. The decision was checked. */
export function fieldsOfDecision(decision: HumanDecision): Readonly<Record<string, unknown>> {
  if (decision.decision === "reject") return { approved: false, note: decision.feedback ?? null };
  const { values, tools = [] } = decision as Extract<HumanDecision, { decision: "confirm" }>;
  if (values !== undefined) return values;
  const { toolCallId: _, ...fields } = tools[0] ?? { approved: true, note: null };
  return fields;
}

/** An answer, for the list of answered questions. */
export function decisionOf(fields: unknown): {
  readonly decision: "confirm" | "reject";
  readonly feedback: string | null;
} {
  const { approved, note } = Object(fields) as { readonly approved?: unknown; readonly note?: unknown };
  if (approved !== false) return { decision: "confirm", feedback: null };
  return { decision: "reject", feedback: typeof note === "string" ? note : null };
}
