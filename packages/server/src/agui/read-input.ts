/**
 * What clients send, checked by the schema of the protocol and by what the server accepts of it.
 *
 * @module
 */
import type { ContentPart, Message, RunAgentInput, UserMessage } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { outsideId } from "millrace/wire";
import { bodyInvalid, type Issue } from "../http/http-error.js";

export const threadIdPattern: RegExp = /^[\w.:@-]{1,128}$/;
const toolNamePattern = /^[\w-]{1,64}$/;
const most = { messageId: 200, tools: 100, context: 100, resume: 100 };

/** @throws {HttpError} `BODY_INVALID` with every issue. */
export function parseInput(body: unknown): RunAgentInput {
  const checked = RunAgentInputSchema.safeParse(body);
  if (!checked.success) throw invalid(checked.error.issues.flatMap(flat));
  const input = checked.data as RunAgentInput;
  const issues = ownIssues(input);
  if (issues.length > 0) throw invalid(issues);
  return input;
}

interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const flat = ({ path, message }: SchemaIssue): Issue => ({ path: path.map(String).join("."), message });

function invalid(issues: readonly Issue[]): Error {
  const said = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return bodyInvalid(`The input is wrong: ${said}.`, issues);
}

function ownIssues({ threadId, runId, messages, tools, context, resume = [] }: RunAgentInput): Issue[] {
  const issues: Issue[] = [];
  const expect = (isRight: boolean, path: string, message: string): void => {
    if (!isRight) issues.push({ path, message });
  };
  expect(threadIdPattern.test(threadId), "threadId", "1 to 128 letters, digits and any of . : @ - _");
  expect(runId.length <= outsideId.longest && outsideId.pattern.test(runId), "runId", outsideId.meaning);
  expect(tools.length <= most.tools, "tools", `at most ${most.tools}`);
  expect(context.length <= most.context, "context", `at most ${most.context}`);
  expect(resume.length <= most.resume, "resume", `at most ${most.resume}`);
  tools.forEach(({ name, parameters }, at) => {
    expect(toolNamePattern.test(name), `tools.${at}.name`, "1 to 64 letters, digits, - and _");
    const isSchema = parameters === undefined || parameters === null || isPlainObject(parameters);
    expect(isSchema, `tools.${at}.parameters`, "a JSON Schema of an object");
  });
  const ids = resume.map(({ interruptId }) => interruptId);
  expect(new Set(ids).size === ids.length, "resume", "one entry for each interrupt");
  const last = messages.length - 1;
  const message = messages[last];
  if (message?.role === "user") issues.push(...messageIssues(message, `messages.${last}`));
  return issues;
}

const isPlainObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

function messageIssues({ id, content }: UserMessage, path: string): Issue[] {
  const isId = id.length > 0 && id.length <= most.messageId;
  const parts = typeof content === "string" ? [] : content;
  return [
    ...(isId ? [] : [{ path: `${path}.id`, message: `1 to ${most.messageId} characters` }]),
    ...parts.flatMap((part, at) => partIssues(part, `${path}.content.${at}`)),
  ];
}

/** The server fetches nothing that a client names. */
function partIssues(part: ContentPart, path: string): Issue[] {
  if (part.type === "text" || part.source.type === "data") return [];
  return [{ path: `${path}.source`, message: "a file has to come with the message, as `data`" }];
}

/** The message that is to be answered; `null` if the input ends with something else. */
export function newMessage(messages: readonly Message[]): UserMessage | null {
  const last = messages.at(-1);
  return last?.role === "user" ? last : null;
}

/** What the client says that its own tools have returned, by call. */
export function toolResults(messages: readonly Message[]): ReadonlyMap<string, unknown> {
  return new Map(messages.flatMap((message) => (message.role === "tool" ? [resultOf(message)] : [])));
}

function resultOf({ toolCallId, content, error }: Extract<Message, { role: "tool" }>): [string, unknown] {
  if (error !== undefined) return [toolCallId, { error }];
  return [toolCallId, typeof content === "string" ? jsonOr(content) : content];
}

/** Structured results come as text. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // it is no JSON, but the text itself
  }
}
