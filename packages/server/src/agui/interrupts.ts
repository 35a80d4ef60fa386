/** Prompts of a run as interrupts, and what a client says to them as the fields of answers. */
import type { Interrupt, ResumeEntry } from "@ag-ui/core";
import { type PendingPrompt, QuestionEvent } from "millrace";
import { isObject } from "../http/guard-json.js";
import { agentQuestion } from "../shown/run-facts.js";
import { isoTime } from "../system.js";
import { toPrompt } from "../wire/handler-record.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import { plain } from "./json.js";
import { present } from "./message-list.js";

/** A tool of the client is asked for its result. It is no interrupt: the client answers with a message. */
export function isForClient({ event }: PendingPrompt): boolean {
  return agentQuestion(event)?.kind === "result";
}

/** The call that a question is about, as clients know it. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly subagentRunId?: string | undefined;
}

const permissionSchema = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    editedArgs: { type: "object", description: "Arguments in place of those of the model." },
    note: { type: "string", description: "A reason, for the model to read." },
  },
  required: ["approved"],
};

/** @param call `null` if the question is about no call, or one that is not shown. */
export function interruptOf(
  prompt: PendingPrompt,
  facts: WorkflowFacts | undefined,
  call: AskedCall | null,
): Interrupt {
  const { promptId: id, event, dueAtMs } = prompt;
  const until = present({ expiresAt: dueAtMs === null ? undefined : isoTime(dueAtMs) });
  const question = agentQuestion(event);
  if (question !== null) {
    const { agent, input, problem } = question;
    const metadata = { agent, input: plain(input), ...(problem !== null && { problem }) };
    const message = (event as QuestionEvent).title;
    const asked = { id, message, metadata, ...until, ...present({ subagentRunId: call?.subagentRunId }) };
    if (question.kind !== "permission" || call === null)
      return { ...asked, reason: "confirmation", responseSchema: permissionSchema };
    return { ...asked, reason: "tool_call", toolCallId: call.toolCallId, responseSchema: permissionSchema };
  }
  const responseSchema = toPrompt(prompt, facts).answer?.schema as Record<string, unknown> | undefined;
  const metadata = { type: event.type, step: prompt.step };
  if (QuestionEvent.is(event)) {
    const details = present({ details: event.details === undefined ? undefined : plain(event.details) });
    return {
      ...{ id, reason: "input_required", message: event.title, ...until, metadata: { ...metadata, ...details } },
      ...present({ responseSchema }),
    };
  }
  const details = plain(event.toJSON());
  return {
    ...{ id, reason: "input_required", message: event.type, ...until, metadata: { ...metadata, details } },
    ...present({ responseSchema }),
  };
}

/**
 * The fields of the answer. `"cancel"`: the client sends no answer, and the run cannot continue without one. `null`:
 * the answer has no fields.
 */
export function fieldsOf({ event }: PendingPrompt, { status, payload }: ResumeEntry): object | "cancel" | null {
  const isAgents = agentQuestion(event) !== null;
  if (status === "cancelled") return isAgents ? { approved: false, note: "The person has given no answer." } : "cancel";
  if (!isObject(payload)) return payload === undefined ? {} : null;
  if (!isAgents) return payload;
  const { approved, editedArgs, note } = payload;
  return { approved, ...(editedArgs !== undefined && { input: editedArgs }), ...(note !== undefined && { note }) };
}
