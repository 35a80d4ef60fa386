/**
 * Answers of a person, and results of tools of the page, for the last answer of a chat.
 *
 * @module
 */
import { agentQuestion, type Conversation } from "@millrace/server/door";
import type { UIMessage } from "ai";
import { isToolUIPart } from "ai";
import type { PendingPrompt } from "millrace";
import { messageUnknown, promptClosed } from "./chat-errors.js";
import { type OpenChats, streamAnswer } from "./open-chats.js";
import type { ChatBody } from "./read-body.js";

type ToolPart = Extract<UIMessage["parts"][number], { toolCallId: string }>;

/** Streams what follows from the answers, and nothing that the page has. */
export async function continueAnswer(
  open: OpenChats,
  chat: Conversation,
  { last, answers }: ChatBody,
): Promise<Response> {
  const turn = chat.turns.at(-1);
  if (turn === undefined || turn.runId !== last.id) throw messageUnknown(last.id);
  const handle = open.answers.handle(turn);
  const prompts = await handle.prompts();
  const { lastEvent: skipTo } = await handle.summary();
  const tools = last.parts.filter(isToolUIPart);
  let taken = 0;
  for (const prompt of prompts) {
    const fields = answers.get(prompt.promptId) ?? fieldsFor(prompt, tools);
    if (fields === null) continue;
    const { status } = await handle.answer(prompt.promptId, fields, { by: open.by });
    if (status === "accepted") taken++;
  }
  if (taken === 0) throw promptClosed();
  return streamAnswer(open, { runId: turn.runId, skipTo });
}

/** What the message says to this question of an agent; `null`: nothing. */
function fieldsFor({ promptId, event }: PendingPrompt, tools: readonly ToolPart[]): object | null {
  const question = agentQuestion(event);
  if (question?.kind === "permission") {
    const part = tools.find(({ approval }) => approval?.id === promptId);
    if (part?.state !== "approval-responded") return null;
    const { approved, reason = null } = part.approval;
    return { approved, note: reason };
  }
  if (question?.kind !== "result") return null;
  const isOfMember = question.id !== question.toolCallId;
  const part = tools.find(({ toolCallId }) => toolCallId === (isOfMember ? promptId : question.toolCallId));
  if (part?.state === "output-available") return { output: part.output };
  return part?.state === "output-error" ? { approved: false, note: part.errorText } : null;
}
