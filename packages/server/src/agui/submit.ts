/**
 * A request on a thread: a new message, answers to interrupts, results of tools of the client, or nothing new.
 *
 * ```
 * resume, tool results ──► answers to the prompts of the last run ──► what follows
 * a new message        ──► the turn is stored ──► its run is started ──► its stream
 * nothing new          ──► all messages ──► the stream of the last run from where it stands
 * ```
 *
 * @module
 */
import type { Message, RunAgentInput, UserMessage } from "@ag-ui/core";
import { type Conversation, newConversation, type TurnEntry } from "../shown/conversations.js";
import { streamAnswer } from "./answer-stream.js";
import { answerTools, resume } from "./continue-run.js";
import { isForClient } from "./interrupts.js";
import { newMessage } from "./read-input.js";
import { interruptOpen, interruptUnknown, messageMissing, threadBusy } from "./refusals.js";
import { type AguiInput, type AguiRequest, turnOf } from "./run-input.js";
import {
  lacks,
  messagesBefore,
  messagesOf,
  type OpenThreads,
  type Place,
  runIdOf,
  sender,
  threadKey,
} from "./threads.js";

export async function submit(open: OpenThreads, input: RunAgentInput): Promise<Response> {
  const id = threadKey(open, input);
  const thread = (await open.threads.find(id)) ?? newConversation(id);
  const last = thread.turns.at(-1);
  if (last === undefined) return first(open, thread, input);
  const at: Place = { thread, last, status: await open.answers.status(last) };
  if (input.resume !== undefined && input.resume.length > 0) return resume(open, at, input);
  const message = newMessage(input.messages);
  const isKnown = message !== null && thread.turns.some(({ messageId }) => messageId === message.id);
  if (message !== null && !isKnown) return next(open, at, { input, message });
  const answered = await answerTools(open, at, input);
  if (answered !== null) return answered;
  return isRegenerated(at, input) ? regenerate(open, at, input) : join(open, at, input);
}

function first(open: OpenThreads, thread: Conversation, input: RunAgentInput): Promise<Response> {
  const [entry] = input.resume ?? [];
  if (entry !== undefined) throw interruptUnknown(entry.interruptId);
  const message = newMessage(input.messages);
  if (message === null) throw messageMissing();
  return begin(open, thread, { kept: [], input, message });
}

interface Said {
  readonly input: RunAgentInput;
  readonly message: UserMessage;
}

/** Unanswered calls of the client's tools end with the run. Interrupts have to be answered. */
async function next(open: OpenThreads, { thread, last, status }: Place, said: Said): Promise<Response> {
  if (status === "running") throw threadBusy();
  if (status === "waiting") {
    const handle = open.answers.handle(last);
    const interrupts = (await handle.prompts()).filter((prompt) => !isForClient(prompt));
    if (interrupts.length > 0) throw interruptOpen(interrupts.map(({ promptId }) => promptId));
    await handle.cancel("The person has written something else.", sender(open));
  }
  return begin(open, thread, { ...said, kept: thread.turns });
}

interface NewRun extends Said {
  readonly kept: readonly TurnEntry[];
}

/** The turn is stored first, under an id that a repeated request finds. */
async function begin(open: OpenThreads, thread: Conversation, { kept, input, message }: NewRun): Promise<Response> {
  open.caller.assertMay("start", open.facts.name);
  open.caller.spendStart();
  const runId = runIdOf(thread);
  const { tools, context, state, forwardedProps } = input;
  const request: AguiRequest = {
    ...{ id: message.id, message, requestId: input.runId, tools, context },
    ...(state !== undefined && { state }),
    ...(forwardedProps !== undefined && { forwardedProps }),
  };
  const before = await messagesOf(open, kept);
  const fields = await inputOf(open, { request, before, input });
  if (!(await open.threads.begin(thread, kept, { message: request, runId }))) throw threadBusy();
  try {
    await start(open, { runId, fields, input });
  } catch (error) {
    await open.threads.takeBack(thread, runId);
    throw error;
  }
  const messages = [...before, message];
  const isJoined = lacks(input.messages, messages);
  return streamAnswer(open, { input, before: messages, isJoined, handle: open.answers.handle({ runId }) });
}

interface Asked {
  readonly request: AguiRequest;
  readonly before: readonly Message[];
  readonly input: RunAgentInput;
}

async function inputOf(open: OpenThreads, { request, before, input }: Asked): Promise<AguiInput> {
  const { id: _, requestId: runId, ...given } = request;
  const { facts, tenant } = open;
  const turn = turnOf(
    { ...given, runId, threadId: input.threadId, tenant, workflow: facts.name, messages: before },
    facts,
  );
  return open.input === undefined ? turn.defaults : open.input(turn);
}

interface Starting {
  readonly runId: string;
  readonly fields: AguiInput;
  readonly input: RunAgentInput;
}

/** A second start with the same input is the same run. */
async function start(open: OpenThreads, { runId, fields, input }: Starting): Promise<void> {
  const { runtime, facts, tenant } = open;
  const labels = { thread: input.threadId };
  await runtime.run(facts.name, fields, { runId, tenant, labels, ...sender(open) }).accepted;
}

/**
 * Another answer to the last message. It has to be asked for: a client that has missed an answer, and one that wants
 * another, send the same messages.
 */
function isRegenerated({ last, status }: Place, { messages, forwardedProps }: RunAgentInput): boolean {
  const { regenerate: isWanted } = Object(forwardedProps) as { readonly regenerate?: unknown };
  const isOver = status === "completed" || status === "broken";
  return isOver && isWanted === true && newMessage(messages)?.id === last.messageId;
}

async function regenerate(open: OpenThreads, at: Place, input: RunAgentInput): Promise<Response> {
  const { message } = await open.threads.turn(at.last);
  if (message.requestId === input.runId) return join(open, at, input); // the same request again
  return begin(open, at.thread, { kept: at.thread.turns.slice(0, -1), input, message: message.message });
}

/** All that there is of the thread, and what the last run shows from here on. */
async function join(open: OpenThreads, { thread, last, status }: Place, input: RunAgentInput): Promise<Response> {
  open.caller.assertMay(status === "missing" ? "start" : "read", open.facts.name);
  if (status === "missing") {
    open.caller.spendStart();
    // The process that has stored the turn has died, or is about to start its run.
    const { message: request } = await open.threads.turn(last);
    const kept = await messagesOf(open, thread.turns.slice(0, -1));
    const fields = await inputOf(open, { request, before: kept, input });
    await start(open, { runId: last.runId, fields, input });
  }
  const handle = open.answers.handle(last);
  const { lastEvent: skipTo } = await handle.summary();
  const before = await messagesBefore(open, thread.turns);
  return streamAnswer(open, { handle, input, before, skipTo, isJoined: true });
}
