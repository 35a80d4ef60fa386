/**
 * A new message, an edited one, or another answer to one.
 *
 * The turn is stored first, then its run is started under an id that the turn names: a repeated request finds both.
 *
 * @module
 */
import { type Conversation, newConversation, type TurnEntry } from "@millrace/server/door";
import type { UIMessage } from "ai";
import { type ChatInput, chatTurn } from "../chat/chat-input.js";
import { runIdOf } from "../chat/chats.js";
import { chatBusy, messageUnknown } from "./chat-errors.js";
import { continueAnswer } from "./continue-answer.js";
import { type OpenChats, streamAnswer } from "./open-chats.js";
import type { ChatBody } from "./read-body.js";

/** What a request makes of the chat. */
interface Change {
  readonly kept: readonly TurnEntry[];
  readonly message: UIMessage;
  /** `true`: an answer at work is of a turn that leaves the chat. */
  readonly replaces: boolean;
}

/** The request has come before. */
interface Repeated {
  readonly turn: TurnEntry;
}

export async function submit(open: OpenChats, body: ChatBody): Promise<Response> {
  const chat = (await open.chats.find(body.id)) ?? newConversation(body.id);
  if (body.last.role === "assistant") return continueAnswer(open, chat, body);
  const change = body.isRegenerate ? await regenerated(open, chat, body) : await submitted(open, chat, body);
  return "turn" in change ? repeat(open, chat, change) : begin(open, chat, change);
}

async function regenerated(
  { chats }: OpenChats,
  { turns }: Conversation,
  { last, messageId }: ChatBody,
): Promise<Change> {
  const at = turns.findIndex((turn) => turn.messageId === last.id || turn.runId === messageId);
  const turn = turns[at];
  if (turn === undefined) {
    if (messageId !== null) throw messageUnknown(messageId);
    return { kept: turns, message: last, replaces: false }; // it has not reached the server before
  }
  return { kept: turns.slice(0, at), message: (await chats.turn(turn)).message, replaces: true };
}

async function submitted(
  { chats }: OpenChats,
  { turns }: Conversation,
  { last, messageId }: ChatBody,
): Promise<Change | Repeated> {
  const at = turns.findIndex((turn) => turn.messageId === (messageId ?? last.id));
  const turn = turns[at];
  if (turn === undefined) {
    if (messageId !== null) throw messageUnknown(messageId);
    return { kept: turns, message: last, replaces: false };
  }
  const { message } = await chats.turn(turn);
  const isSame = JSON.stringify(message.parts) === JSON.stringify(last.parts);
  if (isSame && at === turns.length - 1) return { turn };
  if (messageId === null) throw messageUnknown(last.id);
  return { kept: turns.slice(0, at), message: { ...last, id: turn.messageId }, replaces: true };
}

/** Its run may be missing: the process that has stored the turn has died, or is about to start it. */
async function repeat(open: OpenChats, chat: Conversation, { turn }: Repeated): Promise<Response> {
  const { runId } = turn;
  if ((await open.answers.status(turn)) === "missing") {
    open.spendStart();
    const { message } = await open.chats.turn(turn);
    await start(open, runId, await inputFor(open, chat, { kept: chat.turns.slice(0, -1), message }));
  }
  return streamAnswer(open, { runId });
}

async function begin(open: OpenChats, chat: Conversation, change: Change): Promise<Response> {
  const { chats } = open;
  open.spendStart();
  await endLast(open, chat, change.replaces);
  const input = await inputFor(open, chat, change);
  const runId = runIdOf(chat, chat.count + 1);
  if (!(await chats.begin(chat, change.kept, { message: change.message, runId }))) throw chatBusy();
  try {
    await start(open, runId, input);
  } catch (error) {
    await chats.takeBack(chat, runId);
    throw error;
  }
  return streamAnswer(open, { runId });
}

interface RunInput {
  readonly chatId: string;
  readonly input: ChatInput;
}

async function inputFor(
  { answers, flow, tenant }: OpenChats,
  { id: chatId }: Conversation,
  { kept, message }: Pick<Change, "kept" | "message">,
): Promise<RunInput> {
  const before = await Promise.all(kept.map((turn) => answers.read(turn)));
  return { chatId, input: await flow.input(await chatTurn({ chatId, tenant, message, before })) };
}

/** A second start with the same input is the same run. */
async function start(open: OpenChats, runId: string, { chatId, input }: RunInput): Promise<void> {
  const { runtime, flow, tenant, by } = open;
  await runtime.run(flow.workflow, input, { runId, tenant, labels: { chat: chatId }, by }).accepted;
}

/** Ends an answer that waits for a person who has written something else instead, or that leaves the chat. */
async function endLast({ answers, by }: OpenChats, { turns }: Conversation, replaces: boolean): Promise<void> {
  const last = turns.at(-1);
  if (last === undefined) return;
  const status = await answers.status(last);
  if (status === "running" && !replaces) throw chatBusy();
  if (status === "running" || status === "waiting")
    await answers.handle(last).cancel("The person has written something else.", { by });
}
