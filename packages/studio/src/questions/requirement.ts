/** What a pipeline asks of a person, as its question says it. */
import type { PendingPrompt } from "@millrace/client";
import type { Json, JsonObject } from "../api/json.types.js";
import { fieldsOf } from "../api/plain-json.js";

export interface Requirement {
  readonly kind: "confirmation" | "userInput" | "route" | "outputReview" | "iterationReview" | "executor" | "error";
  readonly stepName: string;
  readonly message: string;
  readonly fields: readonly Field[];
  readonly choices: readonly string[];
  readonly allowMultipleSelections: boolean;
  readonly output: { readonly content?: Json } | null;
  readonly tools: readonly { readonly toolCallId: string; readonly toolName: string; readonly toolArgs: Json }[];
  readonly error: string | null;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly allowedValues?: readonly Json[];
}

/** `null` for a question of a workflow that is not a pipeline. */
export function requirementOf({ event }: PendingPrompt): Requirement | null {
  if (event.type === "millrace.question") return permissionOf(fieldsOf(event));
  if (event.type !== "pipeline.question") return null;
  return ((fieldsOf(event) as { readonly requirement?: unknown }).requirement as Requirement | null) ?? null;
}

interface Permission {
  readonly title: string;
  readonly details?: {
    readonly kind?: string;
    readonly stepName?: string;
    readonly id: string;
    readonly toolName: string;
    readonly input: Json;
  } | null;
}

/** A step asks whether its agent may make a call. `null` for any other question. */
function permissionOf(value: Json): Requirement | null {
  const { title: message, details } = value as unknown as Permission;
  if (details?.kind !== "permission" || details.stepName === undefined) return null;
  const { stepName, id: toolCallId, toolName, input: toolArgs } = details;
  const tools = [{ toolCallId, toolName, toolArgs }];
  const nothing = { fields: [], choices: [], allowMultipleSelections: false, output: null, error: null };
  return { kind: "executor", stepName, message, tools, ...nothing };
}

/** The fields that answer a prompt. */
export function fieldsOfDecision({ kind }: Requirement, decision: JsonObject): JsonObject {
  if (kind !== "executor") return { decision };
  return { approved: decision["decision"] === "confirm", note: decision["feedback"] ?? null };
}
