import type { StoredTurn } from "@millrace/server/door";
import { convertToModelMessages, type FileUIPart, type ModelMessage, type UIMessage } from "ai";

/** The input of a run: the fields of the start event of its workflow. */
export interface ChatInput {
  readonly [field: string]: unknown;
}

/** A message of a person that a run has to answer. */
export interface ChatTurn {
  readonly chatId: string;
  /** `""` for a caller without a tenant. */
  readonly tenant: string;
  readonly message: UIMessage;
  /** The text of the message. */
  readonly text: string;
  /** Files of the message. */
  readonly files: readonly FileUIPart[];
  /** The messages before it. */
  readonly messages: readonly UIMessage[];
  /** The messages before it, for a model: without reasoning, and without calls that were not answered. */
  readonly history: readonly ModelMessage[];
}

type TurnFacts = Pick<ChatTurn, "chatId" | "tenant" | "message"> & {
  readonly before: readonly StoredTurn<UIMessage, UIMessage>[];
};

export async function chatTurn({ chatId, tenant, message, before }: TurnFacts): Promise<ChatTurn> {
  const messages = before.flatMap((turn) => (turn.answer === null ? [turn.message] : [turn.message, turn.answer]));
  const history = await convertToModelMessages(messages.map(forModel), { ignoreIncompleteToolCalls: true });
  return { chatId, tenant, message, text: textOf(message), files: filesOf(message), messages, history };
}

/**
 * Calls of members belong to the conversation of their member. Reasoning is of use only with what its provider has
 * signed.
 */
function forModel(message: UIMessage): UIMessage {
  return { ...message, parts: message.parts.filter(({ type }) => type !== "reasoning" && type !== "dynamic-tool") };
}

const textOf = ({ parts }: UIMessage): string =>
  parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");

const filesOf = ({ parts }: UIMessage): FileUIPart[] => parts.filter((part) => part.type === "file");

/** The input of `agent.workflow`. */
export function agentInput({ message, text, files, history }: ChatTurn): ChatInput {
  const media = files.map(({ url, mediaType, filename }, index) => ({
    kind: kindOf(mediaType),
    id: `${message.id}-${index}`,
    url,
    mimeType: mediaType,
    ...(filename !== undefined && { name: filename }),
  }));
  const of = (wanted: string): object[] => media.filter(({ kind }) => kind === wanted);
  return { input: text, history, images: of("image"), videos: of("video"), audio: of("audio"), files: of("file") };
}

function kindOf(mediaType: string): string {
  const [family = ""] = mediaType.split("/");
  return ["image", "video", "audio"].includes(family) ? family : "file";
}

/** The input of a pipeline: its history is that of its session. */
export function pipelineInput({ chatId, text }: ChatTurn): ChatInput {
  return { input: text, session_id: chatId };
}

/** The input of any other workflow. */
export function workflowInput({ text }: ChatTurn): ChatInput {
  return { message: text };
}
