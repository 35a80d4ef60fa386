import type { DoorCaller } from "@millrace/server/door";
import { createUIMessageStreamResponse } from "ai";
import type { AnsweredBy } from "millrace";
import type { Runtime } from "millrace/runtime";
import { Answers } from "../chat/answers.js";
import type { ChatInput, ChatTurn } from "../chat/chat-input.js";
import { Chats } from "../chat/chats.js";
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
  readonly chats: Chats;
  readonly answers: Answers;
  /** Who answers prompts with this request. */
  readonly answerer: AnsweredBy;
}

export function openChats(runtime: Runtime, flow: ChatFlow, { tenant, answerer }: DoorCaller): OpenChats {
  const chats = new Chats(runtime, tenant);
  return { runtime, flow, tenant, chats, answers: new Answers(runtime, chats, flow), answerer: answerer("chat") };
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
