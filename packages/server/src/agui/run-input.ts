/** The input of a run that answers a message. */
import type { AssistantMessage, ContentPart, Message, RunAgentInput, ToolMessage, UserMessage } from "@ag-ui/core";
import type { WorkflowFacts } from "../wire/workflow-facts.js";

/** The input of a run: the fields of the start event of its workflow. */
export interface AguiInput {
  readonly [field: string]: unknown;
}

/** What of a request belongs to its message. It is stored with it. */
export interface AguiRequest extends Pick<RunAgentInput, "tools" | "context" | "state" | "forwardedProps"> {
  /** Id of the message. */
  readonly id: string;
  readonly message: UserMessage;
  /** The `runId` of the client. */
  readonly requestId: string;
}

/** A message of a person that a run has to answer. */
export interface AguiTurn extends Omit<AguiRequest, "id" | "requestId"> {
  readonly threadId: string;
  /** The `runId` of the client; that of the run is another one. */
  readonly runId: string;
  /** `""` for a caller without a tenant. */
  readonly tenant: string;
  readonly workflow: string;
  /** The text of the message. */
  readonly text: string;
  /** The messages before it, as the server has stored them. */
  readonly messages: readonly Message[];
  /** The messages before it, for a model of the AI SDK, and the `context` of the client. */
  readonly history: readonly object[];
  /** The input that the run gets without an `input` function. */
  readonly defaults: AguiInput;
}

type Facts = Omit<AguiTurn, "text" | "history" | "defaults">;

export function turnOf(given: Facts, facts: WorkflowFacts): AguiTurn {
  const text = textOf(given.message.content);
  const history = [...modelHistory(given.messages), ...contextMessages(given.context)];
  const turn = { ...given, text, history };
  return { ...turn, defaults: defaultInput(turn, facts) };
}

/** Durable types of the start events of agents and pipelines. */
const startTypes = { agent: "AgentInput", pipeline: "pipeline.start" };

export const isAgent = ({ compiled }: WorkflowFacts): boolean =>
  compiled.startClasses.some(({ type }) => type === startTypes.agent);

const isPipeline = ({ compiled }: WorkflowFacts): boolean =>
  compiled.startClasses.some(({ type }) => type === startTypes.pipeline);

function defaultInput(turn: Omit<AguiTurn, "defaults">, facts: WorkflowFacts): AguiInput {
  if (isPipeline(facts)) return { input: turn.text, session_id: turn.threadId };
  return isAgent(facts) ? agentInput(turn) : { message: turn.text };
}

function agentInput({ message, text, history, tools }: Omit<AguiTurn, "defaults">): AguiInput {
  const files = filesOf(message);
  const of = (kind: string): object[] => files.filter((file) => file.kind === kind);
  const pageTools = tools.map(({ name, description, parameters }) => ({
    ...{ name, description },
    ...(parameters !== undefined && parameters !== null && { parameters }),
  }));
  return {
    ...{ input: text, history, images: of("image"), videos: of("video"), audio: of("audio"), files: of("file") },
    ...(pageTools.length > 0 && { pageTools }),
  };
}

interface MediaFile {
  readonly kind: string;
  readonly id: string;
  readonly url: string;
  readonly mimeType: string;
}

function filesOf({ id, content }: UserMessage): MediaFile[] {
  if (typeof content === "string") return [];
  return content.flatMap((part, index) => {
    if (part.type === "text" || part.source.type !== "data") return [];
    const { value, mimeType } = part.source;
    const kind = part.type === "document" ? "file" : part.type;
    return [{ kind, id: `${id}-${index}`, url: `data:${mimeType};base64,${value}`, mimeType }];
  });
}

function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

/** What the page says of itself. It is the word of the person, and not of the developer. */
function contextMessages(context: RunAgentInput["context"]): object[] {
  if (context.length === 0) return [];
  const lines = context.map(({ description, value }) => `- ${description}: ${value}`);
  return [{ role: "user", content: `What the page shows now:\n${lines.join("\n")}` }];
}

/** Without reasoning, the words of sub-agents, and calls that were not answered. */
function modelHistory(messages: readonly Message[]): object[] {
  const own = messages.filter(({ subagentRunId }) => subagentRunId === undefined);
  const results = new Map(own.flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message]] : [])));
  return own.flatMap((message) => {
    if (message.role === "user") return [{ role: "user", content: textOf(message.content) }];
    return message.role === "assistant" ? ofAssistant(message, results) : [];
  });
}

function ofAssistant(
  { content = "", toolCalls = [] }: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
): object[] {
  const answered = toolCalls.flatMap(({ id: toolCallId, function: { name: toolName, arguments: text } }) => {
    const result = results.get(toolCallId);
    return result === undefined ? [] : [{ toolCallId, toolName, input: parsed(text), result }];
  });
  const calls = answered.map(({ result: _, ...call }) => ({ type: "tool-call", ...call }));
  const parts = [...(content === "" ? [] : [{ type: "text", text: content }]), ...calls];
  if (parts.length === 0) return [];
  const replies = answered.map(({ toolCallId, toolName, result }) => ({
    ...{ type: "tool-result", toolCallId, toolName },
    output: { type: "text", value: textOf(result.content) },
  }));
  return [{ role: "assistant", content: parts }, ...(replies.length > 0 ? [{ role: "tool", content: replies }] : [])];
}

/** Models write arguments that are no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return { arguments: text };
  }
}
