import { isToolUIPart, type UIMessage } from "ai";
import type { QuestionData } from "../stream/questions.js";

/**
 * For `sendAutomaticallyWhen`: everything that the last answer waits for is there, approvals, results of tools of the
 * page and answers to questions.
 *
 * The predicates of the AI SDK look for calls that a page has answered in the last step. Here the server runs tools
 * too, and several agents may ask.
 */
export function isAnswered({ messages }: { readonly messages: readonly UIMessage[] }): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && !isOver(last) && last.parts.some(isToolUIPart) && !last.parts.some(isOpen);
}

/** Whether the answer has come to its end. */
export function isOver({ metadata }: UIMessage): boolean {
  return (Object(metadata) as { readonly usage?: unknown }).usage !== undefined;
}

/** Where an answer waits, no tool of the server is at work: a call without a result is one of the page. */
function isOpen(part: UIMessage["parts"][number]): boolean {
  if (part.type === "data-question") return (part.data as QuestionData).status === "open";
  if (!isToolUIPart(part)) return false;
  return part.state === "approval-requested" || (part.state.startsWith("input-") && part.providerExecuted !== true);
}
