/** Requests to another agent. Each is made inside of a durable call. */
import {
  type ListTasksRequest,
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type Task,
  TaskState,
} from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { EffectCall } from "millrace";
import { hashOf, nowMs, passed } from "../system.js";
import { dataPart, type Fields, textPart } from "../wire/parts.js";
import { type RemoteQuestion, type RemoteState, remoteStateOf } from "./remote-state.js";

export interface Beginning {
  readonly parts: Part[];
  /** `null`: a new context, which belongs to this task alone. */
  readonly contextId: string | null;
  readonly metadata: Fields | undefined;
  /** Called with the id of a new context before anything is sent. */
  readonly onContext: (contextId: string) => void;
}

/** The message has an id that is equal in every attempt, so that an agent which knows it begins nothing twice. */
export async function beginTask(client: Client, call: EffectCall, beginning: Beginning): Promise<RemoteState> {
  const hash = await hashOf(call.idempotencyKey);
  const messageId = `message-${hash}`;
  const contextId = beginning.contextId ?? `context-${hash}`;
  if (beginning.contextId === null) beginning.onContext(contextId);
  const known =
    call.attempt > 1
      ? await findTask(client, { contextId, messageId, isOwn: beginning.contextId === null }, call)
      : null;
  if (known !== null) return remoteStateOf(known);
  const { parts, metadata } = beginning;
  return remoteStateOf(await client.sendMessage(request({ messageId, contextId, taskId: "", parts, metadata }), call));
}

interface Sought {
  readonly contextId: string;
  readonly messageId: string;
  /** Every task of the context is the one. */
  readonly isOwn: boolean;
}

/** An attempt that broke off may have begun the task, at an agent that does not know messages again. */
async function findTask(
  client: Client,
  { contextId, messageId, isOwn }: Sought,
  call: EffectCall,
): Promise<Task | null> {
  try {
    const { tasks } = await client.listTasks(listOf(contextId), call);
    const isIt = (task: Task): boolean => isOwn || task.history.some((message) => message.messageId === messageId);
    return tasks.find((task) => task.contextId === contextId && isIt(task)) ?? null;
  } catch (error) {
    if (error instanceof UnsupportedOperationError || error instanceof RequestMalformedError) return null; // it lists no tasks
    throw error;
  }
}

export function listOf(contextId: string): ListTasksRequest {
  const all = { status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: "", statusTimestampAfter: undefined };
  return { tenant: "", contextId, ...all };
}

export interface Waiting {
  readonly taskId: string;
  /** Ids of questions that were answered: the task works on them. */
  readonly answered: readonly string[];
  /** Milliseconds after which the task is left to itself for a while. */
  readonly holdMs: number;
}

/** Waits until the task has ended, or asks something new; at most for `holdMs`. */
export async function watchTask(client: Client, call: EffectCall, waiting: Waiting): Promise<RemoteState> {
  const untilMs = nowMs() + waiting.holdMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    const state = withoutAnswered(
      remoteStateOf(await client.getTask({ id: waiting.taskId, tenant: "" }, call)),
      waiting,
    );
    const leftMs = untilMs - nowMs();
    if (state.status !== "working" || leftMs <= 0) return state;
    await untilChange(client, waiting, { signal: call.signal, leftMs });
    await passed(Math.min(pauseMs, Math.max(untilMs - nowMs(), 0)), call.signal);
    call.signal.throwIfAborted();
  }
}

/** An agent may read an answer some time after it has taken it. */
function withoutAnswered(state: RemoteState, { answered }: Waiting): RemoteState {
  if (state.status !== "asking") return state;
  const questions = state.questions.filter(({ id }) => !answered.includes(id));
  return questions.length === 0 ? { ...state, status: "working", questions } : { ...state, questions };
}

interface Span {
  readonly signal: AbortSignal;
  readonly leftMs: number;
}

/** Resolves when the stream of the task says that it has changed, or has ended. An agent without streams is asked again. */
async function untilChange(client: Client, waiting: Waiting, { signal, leftMs }: Span): Promise<void> {
  const over = new AbortController();
  void passed(leftMs, AbortSignal.any([signal, over.signal])).then(() => over.abort());
  const isAtWork = (task: Pick<Task, "status">): boolean =>
    withoutAnswered(remoteStateOf({ ...emptyTask, status: task.status }), waiting).status === "working";
  try {
    for await (const { payload } of client.resubscribeTask({ id: waiting.taskId, tenant: "" }, { signal: over.signal }))
      if ((payload?.$case === "task" || payload?.$case === "statusUpdate") && !isAtWork(payload.value)) return;
  } catch {
    // The task is read next, which reports what is wrong.
  } finally {
    over.abort();
  }
}

const emptyTask: Omit<Task, "status"> = { id: "", contextId: "", artifacts: [], history: [], metadata: undefined };

export interface Answering {
  readonly state: Pick<RemoteState, "taskId" | "contextId">;
  readonly question: RemoteQuestion;
  readonly answer: Fields;
}

/** `refused`: the answer does not fit. `closed`: the question is not open any more. */
export type Answered =
  | { readonly status: "sent" | "closed" }
  | { readonly status: "refused"; readonly problem: string };

export async function answerTask(client: Client, call: EffectCall, answering: Answering): Promise<Answered> {
  const { state, question, answer } = answering;
  const messageId = `message-${await hashOf(call.idempotencyKey)}`;
  const isText = question.schema === null;
  const part = isText
    ? textPart(String(answer["answer"]))
    : { ...dataPart(answer), metadata: { promptId: question.id } };
  try {
    if (call.attempt > 1 && !(await isOpen(client, call, answering))) return { status: "closed" };
    await client.sendMessage(request({ ...state, messageId, parts: [part], metadata: undefined }), call);
    return { status: "sent" };
  } catch (error) {
    if (error instanceof RequestMalformedError) return { status: "refused", problem: error.message };
    if (error instanceof UnsupportedOperationError || error instanceof TaskNotFoundError) return { status: "closed" };
    throw error;
  }
}

async function isOpen(client: Client, call: EffectCall, { state, question }: Answering): Promise<boolean> {
  const { questions } = remoteStateOf(await client.getTask({ id: state.taskId, tenant: "" }, call));
  return questions.some(({ id }) => id === question.id);
}

type MessageFacts = Pick<Message, "messageId" | "contextId" | "taskId" | "parts" | "metadata">;

function request({ messageId, contextId, taskId, parts, metadata }: MessageFacts): SendMessageRequest {
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };
  const message: Message = {
    messageId,
    contextId,
    taskId,
    parts,
    metadata,
    role: Role.ROLE_USER,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: "", message, configuration, metadata: undefined };
}
