import { Answers, Conversations, type DoorCaller } from "@millrace/server/door";
import { createUIMessageStreamResponse, readUIMessageStream, type UIMessage } from "ai";
import type { DoneBy } from "millrace";
import type { RunHandle, Runtime } from "millrace/runtime";
import type { ChatInput, ChatTurn } from "../chat/chat-input.js";
import { titleOf } from "../chat/chats.js";
import { runChunks } from "../stream/run-chunks.js";
import type { RunMessageOptions } from "../stream/run-message.js";
import { streamOf } from "../to-ui-message-stream.js";

/** What a chat runs, and how it is shown. */
export interface ChatFlow extends RunMessageOptions {
  readonly workflow: string;
  readonly input: (turn: ChatTurn) => ChatInput | Promise<ChatInput>;
}

/** The chats of the caller of one request. */
export interface OpenChats {
  readonly runtime: Runtime;
  readonly flow: ChatFlow;
  readonly tenant: string;
  readonly chats: Conversations<UIMessage, UIMessage>;
  readonly answers: Answers<UIMessage, UIMessage>;
  /** Who sends this request. */
  readonly by: DoneBy;
  /** Called before each run that the request starts. */
  readonly spendStart: DoorCaller["spendStart"];
}

export function openChats(runtime: Runtime, flow: ChatFlow, { tenant, by, spendStart }: DoorCaller): OpenChats {
  const chats = new Conversations<UIMessage, UIMessage>(runtime, { kind: "chat", tenant, titleOf });
  const answers = new Answers(runtime, chats, (handle) => answerOf(handle, flow));
  return { runtime, flow, tenant, chats, answers, by: by("chat"), spendStart };
}

async function answerOf(handle: RunHandle, flow: ChatFlow): Promise<UIMessage | null> {
  const stream = streamOf((signal) => runChunks(handle, { ...flow, signal }));
  let message: UIMessage | null = null;
  for await (const state of readUIMessageStream({ stream })) message = state;
  return message;
}

const keepAliveMs = 15_000;

interface StreamAnswer {
  readonly runId: string;
  /** Chunks of events up to this one are left out. @default none */
  readonly skipTo?: number;
}

/** The answer of a turn as a response. A client that leaves ends the reading, and not the answer. */
export function streamAnswer({ answers, flow }: OpenChats, { runId, ...options }: StreamAnswer): Response {
  const stream = streamOf((signal) => runChunks(answers.handle({ runId }), { ...flow, ...options, signal }));
  const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
  return createUIMessageStreamResponse({ stream, keepAliveMs, headers });
}
