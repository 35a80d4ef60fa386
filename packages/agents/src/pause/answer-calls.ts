/**
 * Turns the answers of a person into messages for the model. Members that wait are resumed first, because their answers
 * are results of tools.
 *
 * @module
 */

import type { ToolExecution } from "@millrace/pipeline/executor";
import type { JSONValue, ModelMessage, ToolApprovalResponse, ToolResultPart } from "ai";
import type { ActiveRun } from "../run/active-run.types.js";
import { memberToolName, resumeMember } from "../run/delegate.js";
import { toolEnded } from "../run/run-events.js";
import { plainResult } from "../run/tool-calls.js";
import type { PausedCall, PausedMember, ResumedRun } from "../settings/paused-state.types.js";
import type { AgentTool } from "../settings/tool.types.js";

/**
 * Returns the messages after the input so far. While a member still waits (`run.waiting`), the answers to the run's own
 * calls are kept back.
 */
export async function answerCalls(run: ActiveRun, resumed: ResumedRun): Promise<ModelMessage[]> {
  const { state } = resumed;
  const results = await Promise.all(state.members.map((member) => memberResult(run, resumed, member)));
  run.job.signal.throwIfAborted();
  const responses = run.waiting.length > 0 ? [] : state.calls.map((call) => answerCall(run, resumed, call));
  const content = [...results.flat(), ...responses];
  const messages = state.messages.map((message) => withParsedInputs(run, message));
  return content.length === 0 ? messages : [...messages, { role: "tool", content }];
}

async function memberResult(
  run: ActiveRun,
  { memberAnswers }: ResumedRun,
  member: PausedMember,
): Promise<ToolResultPart[]> {
  const { toolCallId, memberId, task } = member;
  const call = { toolCallId, toolName: memberToolName, input: { member: memberId, task } };
  const answers = memberAnswers.get(toolCallId) ?? [];
  const ended = await resumeMember(run, member, answers).then(
    (output) => ({ ...call, type: "tool-result" as const, output: plainResult(output) }),
    (error: unknown) => ({ ...call, type: "tool-error" as const, error }),
  );
  if (run.waiting.some((waiting) => waiting.toolCallId === toolCallId)) return [];
  const shown = toolEnded(run, ended);
  return [{ type: "tool-result", toolCallId, toolName: memberToolName, output: outputOf(shown) }];
}

function outputOf({ toolCallError, result }: ToolExecution): ToolResultPart["output"] {
  if (typeof result === "string") return { type: toolCallError ? "error-text" : "text", value: result };
  return { type: "json", value: result as JSONValue }; // plain: it is shown in events
}

/** The SDK does the rest: it runs allowed calls and tells the model of rejected ones. */
function answerCall(run: ActiveRun, { answers }: ResumedRun, call: PausedCall): ToolApprovalResponse {
  const { approvalId, toolCallId, toolName, toolArgs, isProviders } = call;
  const { approved = false, note = null } = answers.get(toolCallId) ?? {};
  const facts = { toolCallId, toolName, input: toolArgs };
  if (!approved) toolEnded(run, { ...facts, type: "tool-error", error: rejection(note) });
  const reason = approved ? note : rejection(note);
  return {
    type: "tool-approval-response",
    approvalId,
    approved,
    ...(reason === null ? {} : { reason }),
    ...(isProviders ? { providerExecuted: true } : {}),
  };
}

function rejection(note: string | null): string {
  return note === null || note === ""
    ? "A person has not allowed this call."
    : `A person has not allowed this call: ${note}`;
}

function ownTool(run: ActiveRun, toolName: string): AgentTool | undefined {
  return run.settings.tools.find(({ name }) => name === toolName);
}

/**
 * Parses arguments again where the tool's schema converts them, for example to dates. The SDK runs a call only with the
 * arguments that the schema makes of the model's own text.
 */
function withParsedInputs(run: ActiveRun, message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const inputs = new Map(
    message.content.flatMap((part) =>
      part.type === "tool-approval-request" && "inputSchemaInput" in part
        ? [[part.toolCallId, part.inputSchemaInput] as const]
        : [],
    ),
  );
  if (inputs.size === 0) return message;
  const content = message.content.map((part) => {
    if (part.type !== "tool-call" || !inputs.has(part.toolCallId)) return part;
    const parsed = ownTool(run, part.toolName)?.parameters.safeParse(inputs.get(part.toolCallId));
    return parsed?.success === true ? { ...part, input: parsed.data } : part;
  });
  return { ...message, content };
}
