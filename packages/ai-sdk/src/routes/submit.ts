/**
 * A new message, an edited one, or another answer to one.
 *
 * The turn is stored first, then its run is started under an id that the turn names: a repeated request finds both.
 *
 * @module
 */
import type { UIMessage } from "ai";
import { chatTurn } from "../chat/chat-input.js";
import { type Chat, runIdOf, type TurnEntry } from "../chat/chats.js";
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

export async function submit(open: OpenChats, body: ChatBody): Promise<Response> {
  const chat = (await open.chats.find(body.id)) ?? { id: body.id, version: 0, count: 0, turns: [] };
  if (body.last.role === "assistant") return continueAnswer(open, chat, body);
  const change = body.isRegenerate ? await regenerated(open, chat, body) : await submitted(open, chat, body);
  return "runId" in change ? streamAnswer(open, change) : begin(open, chat, change);
}

async function regenerated({ chats }: OpenChats, { turns }: Chat, { last, messageId }: ChatBody): Promise<Change> {
  const at = turns.findIndex((turn) => turn.messageId === last.id || turn.runId === messageId);
  const turn = turns[at];
  if (turn === undefined) {
    if (messageId !== null) throw messageUnknown(messageId);
    return { kept: turns, message: last, replaces: false }; // it has not reached the server before
  }
  return { kept: turns.slice(0, at), message: (await chats.turn(turn)).message, replaces: true };
}

/** The turn of a request that comes again. */
type Known = TurnEntry;

async function submitted(open: OpenChats, chat: Chat, { last, messageId }: ChatBody): Promise<Change | Known> {
  const { turns } = chat;
  const at = turns.findIndex((turn) => turn.messageId === (messageId ?? last.id));
  const turn = turns[at];
  if (turn === undefined) {
    if (messageId !== null) throw messageUnknown(messageId);
    return { kept: turns, message: last, replaces: false };
  }
  const isLast = at === turns.length - 1;
  const { message } = await open.chats.turn(turn);
  const isSame = JSON.stringify(message.parts) === JSON.stringify(last.parts);
  if (isLast && isSame && (await open.answers.status(turn)) !== "missing") return turn;
  if (messageId === null && !isSame) throw messageUnknown(last.id);
  return { kept: turns.slice(0, at), message: { ...last, id: turn.messageId }, replaces: true };
}

async function begin(open: OpenChats, chat: Chat, { kept, message, replaces }: Change): Promise<Response> {
  const { chats, answers, flow, tenant, runtime } = open;
  await endLast(open, chat, replaces);
  const before = await Promise.all(kept.map((turn) => answers.read(turn)));
  const input = await flow.input(await chatTurn({ chatId: chat.id, tenant, message, before }));
  const runId = runIdOf(chat);
  if (!(await chats.begin(chat, kept, { message, runId }))) throw chatBusy();
  try {
    await runtime.run(flow.workflow, input, { runId, tenant, labels: { chat: chat.id } }).accepted;
  } catch (error) {
    await chats.takeBack(chat, runId);
    throw error;
  }
  return streamAnswer(open, { runId });
}

/** Ends an answer that waits for a person who has written something else instead, or that leaves the chat. */
async function endLast({ answers }: OpenChats, { turns }: Chat, replaces: boolean): Promise<void> {
  const last = turns.at(-1);
  if (last === undefined) return;
  const status = await answers.status(last);
  if (status === "running" && !replaces) throw chatBusy();
  if (status === "running" || status === "waiting")
    await answers.handle(last).cancel("The person has written something else.");
}
