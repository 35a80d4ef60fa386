/**
 * What `useChat` sends, checked.
 *
 * @module
 */
import { HttpError, type Issue } from "@millrace/server/door";
import { safeValidateUIMessages, type UIMessage } from "ai";

/** `{ id, messages, trigger, messageId }`. Of the messages only the last one counts: the server has the others. */
export interface ChatBody {
  readonly id: string;
  readonly last: UIMessage;
  readonly isRegenerate: boolean;
  readonly messageId: string | null;
  /** Answers to questions, by the id of their prompt. */
  readonly answers: ReadonlyMap<string, object>;
}

export const chatIdPattern: RegExp = /^[\w-]{1,100}$/;
const mostMessageId = 200;
const mostAnswers = 100;

type Fields = Readonly<Record<string, unknown>>;

/** @throws {HttpError} `BODY_INVALID` */
export async function parseChatBody(body: unknown): Promise<ChatBody> {
  const { id, messages, trigger = "submit-message", messageId = null, answers = {} } = Object(body) as Fields;
  const issues: Issue[] = [];
  const expect = (isRight: boolean, path: string, message: string): void => {
    if (!isRight) issues.push({ path, message });
  };
  expect(typeof id === "string" && chatIdPattern.test(id), "id", "1 to 100 letters, digits, - and _");
  expect(trigger === "submit-message" || trigger === "regenerate-message", "trigger", "no trigger of the AI SDK");
  expect(messageId === null || isMessageId(messageId), "messageId", `a text of 1 to ${mostMessageId} characters`);
  expect(isAnswers(answers), "answers", `at most ${mostAnswers} objects by the id of their prompt`);
  expect(Array.isArray(messages) && messages.length > 0, "messages", "a list with the last message");
  refuse(issues);
  const last = await parseMessage((messages as readonly unknown[]).at(-1), trigger === "regenerate-message");
  return {
    id: id as string,
    last,
    isRegenerate: trigger === "regenerate-message",
    messageId: messageId as string | null,
    answers: new Map(Object.entries(answers as Record<string, object>)),
  };
}

function isMessageId(id: unknown): boolean {
  return typeof id === "string" && id.length > 0 && id.length <= mostMessageId;
}

function isAnswers(answers: unknown): boolean {
  if (typeof answers !== "object" || answers === null || Array.isArray(answers)) return false;
  const all = Object.values(answers);
  return all.length <= mostAnswers && all.every((one) => typeof one === "object" && one !== null);
}

async function parseMessage(given: unknown, isRegenerate: boolean): Promise<UIMessage> {
  const checked = await safeValidateUIMessages({ messages: [given] });
  const [message] = checked.success ? checked.data : [];
  if (message === undefined) throw invalid([{ path: "messages", message: "the last one is no message of the AI SDK" }]);
  const isAssistant = message.role === "assistant" && !isRegenerate;
  const issues = [
    ...(isMessageId(message.id)
      ? []
      : [{ path: "messages.id", message: `a text of 1 to ${mostMessageId} characters` }]),
    ...(message.role === "user" || isAssistant
      ? []
      : [{ path: "messages.role", message: "no message that is answered" }]),
    ...(message.role === "user" ? message.parts.flatMap(partIssues) : []),
  ];
  refuse(issues);
  return message;
}

/** Files come with the message: the server fetches nothing that a page names. */
function partIssues(part: UIMessage["parts"][number], index: number): Issue[] {
  const path = `messages.parts.${index}`;
  if (part.type === "file")
    return part.url.startsWith("data:") ? [] : [{ path, message: "a file needs a `data:` URL" }];
  if (part.type === "text" || part.type.startsWith("data-")) return [];
  return [{ path, message: "people write text, files and data" }];
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues);
}

function invalid(issues: readonly Issue[]): HttpError {
  const detail = `The body is wrong: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`;
  return new HttpError({ status: 400, code: "BODY_INVALID", detail, issues });
}
