/** A task of another agent as plain data, as a run stores it. */
import { type Message, type Part, type Task, TaskState } from "@a2a-js/sdk";
import { dataOf, type Fields, isFields, textOf } from "../wire/parts.js";

/** Something that another agent has made. */
export interface RemoteArtifact {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** Values of its data parts. */
  readonly data: readonly unknown[];
  /** Addresses of its files. */
  readonly urls: readonly string[];
}

/** A question of another agent. */
export interface RemoteQuestion {
  /** Of the question, equal each time it is read. */
  readonly id: string;
  readonly title: string;
  readonly details: unknown;
  /** JSON Schema of the answer; `null`: the answer is a text. */
  readonly schema: Fields | null;
  /** Epoch milliseconds; `null` for no limit. */
  readonly expiresAtMs: number | null;
}

export type RemoteStatus = "working" | "asking" | "completed" | "failed";

export interface RemoteState {
  /** `""`: the agent has answered with a message, without a task. */
  readonly taskId: string;
  readonly contextId: string;
  readonly status: RemoteStatus;
  /** Name of the state in the protocol. */
  readonly state: string;
  /** What the agent says of its state. */
  readonly note: string;
  /** Code of the error, if the agent reports one. */
  readonly code: string | null;
  readonly questions: readonly RemoteQuestion[];
  readonly artifacts: readonly RemoteArtifact[];
}

const none = { note: "", code: null, questions: [], artifacts: [] };

/** @param result What the agent has answered with. */
export function remoteStateOf(result: Task | Message): RemoteState {
  if (!("artifacts" in result)) return ofMessage(result);
  const { id: taskId, contextId, status, artifacts } = result;
  const state = status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  const parts = status?.message?.parts ?? [];
  return {
    taskId,
    contextId,
    status: statusOf(state),
    state: TaskState[state] ?? "UNRECOGNIZED",
    note: textOf(parts),
    code: codeOf(parts),
    questions: state === TaskState.TASK_STATE_INPUT_REQUIRED ? questionsOf(status?.message) : [],
    artifacts: (artifacts ?? []).map(({ artifactId: id, name, parts: made }) => artifactOf({ id, name, made })),
  };
}

function ofMessage({ contextId, messageId, parts }: Message): RemoteState {
  const artifacts = [artifactOf({ id: messageId, name: "message", made: parts })];
  return { ...none, taskId: "", contextId, status: "completed", state: "MESSAGE", artifacts };
}

function statusOf(state: TaskState): RemoteStatus {
  switch (state) {
    case TaskState.TASK_STATE_COMPLETED:
      return "completed";
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return "asking";
    case TaskState.TASK_STATE_FAILED:
    case TaskState.TASK_STATE_CANCELED:
    case TaskState.TASK_STATE_REJECTED:
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return "failed";
    default:
      return "working";
  }
}

interface Made {
  readonly id: string;
  readonly name: string;
  readonly made: readonly Part[];
}

function artifactOf({ id, name, made }: Made): RemoteArtifact {
  const urls = made.flatMap(({ content }) => (content?.$case === "url" ? [content.value] : []));
  return { id, name, text: textOf(made), data: dataOf(made), urls };
}

function codeOf(parts: readonly Part[]): string | null {
  const [code] = dataOf(parts).flatMap((value) => (isFields(value) ? [value["code"]] : []));
  return typeof code === "string" ? code : null;
}

/** Those of Millrace have a data part each; other agents ask with a text. */
function questionsOf(message: Message | undefined): RemoteQuestion[] {
  const parts = message?.parts ?? [];
  const known = dataOf(parts).filter(isQuestion);
  if (known.length > 0)
    return known.map(({ promptId, title, details = null, schema, expiresAt }) => ({
      id: promptId,
      title,
      details,
      schema: isFields(schema) ? schema : null,
      expiresAtMs: typeof expiresAt === "string" ? Date.parse(expiresAt) : null,
    }));
  const title = textOf(parts) || "The agent needs input.";
  const [details = null] = dataOf(parts);
  return [{ id: message?.messageId ?? title, title, details, schema: null, expiresAtMs: null }];
}

interface Question {
  readonly promptId: string;
  readonly title: string;
  readonly details?: unknown;
  readonly schema?: unknown;
  readonly expiresAt?: unknown;
}

function isQuestion(value: unknown): value is Question {
  if (!isFields(value)) return false;
  const { promptId, title } = value;
  return [promptId, title].every((text) => typeof text === "string" && text !== "");
}
