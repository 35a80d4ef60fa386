/**
 * Chats for `useChat` of the AI SDK: each message of a person is a run.
 *
 * @module
 */
import {
  codeOf,
  createDoor,
  type DoorCaller,
  type DoorOptions,
  doorRules,
  type MountedDoor,
  withAuth,
} from "@millrace/server/door";
import { callable, checkOptions, type Rules, text, valueRule } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { agentInput, type ChatInput, type ChatTurn, pipelineInput, workflowInput } from "./chat/chat-input.js";
import { answerRequest } from "./routes/answer-request.js";
import { type ChatFlow, openChats } from "./routes/open-chats.js";
import type { MapEvent } from "./stream/run-message.js";

// biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; the input is checked by the workflow.
export type AnyRuntime = Runtime<any>;

/** Options of `chatHandler`. One of `agent`, `workflow` and `pipeline` is needed. */
export interface ChatOptions extends DoorOptions {
  /** Name in the runtime of the `workflow` of an agent or a team. */
  readonly agent?: string;
  /** Name in the runtime of any workflow. */
  readonly workflow?: string;
  /** Name in the runtime of the `workflow` of a pipeline. */
  readonly pipeline?: string;
  /**
   * The input of the run that answers a message.
   *
   * @default for an agent its text, its files and the messages before it; for a pipeline its text in the session of
   * the chat; for a workflow `{ message: text }`
   */
  readonly input?: (turn: ChatTurn) => ChatInput | Promise<ChatInput>;
  /** Shows events of the workflow: see `toUIMessageStream`. @default they are not shown */
  readonly map?: MapEvent;
  /** Text of the error of a failed run, for the reader. @default its code, without its message */
  readonly errorText?: (error: unknown) => string;
  /** Path of the handler, as `api` of `useChat`. @default "/api/chat" */
  readonly basePath?: string;
}

/** What `chatHandler` returns: the exports of a route of Next, and what `createServer({ chat })` takes. */
export interface ChatHandler extends MountedDoor {
  GET(request: Request): Promise<Response>;
  POST(request: Request): Promise<Response>;
  DELETE(request: Request): Promise<Response>;
}

const kinds = ["agent", "workflow", "pipeline"] as const;
const inputs = { agent: agentInput, workflow: workflowInput, pipeline: pipelineInput };

const rules: Rules<ChatOptions> = {
  ...doorRules,
  agent: text,
  workflow: text,
  pipeline: text,
  input: callable,
  map: callable,
  errorText: callable,
  basePath: valueRule((path) => /^(\/[\w.~-]+)+$/.test(String(path)), 'a path such as "/api/chat"'),
};

/**
 * Creates the handler of chats. Its only state is what is under way, so any number of processes may serve one store.
 *
 * @param runtime One that is started, or a function that returns one with the first request, so that importing the
 * module opens no store, as during `next build`; if it fails, the next request calls it again.
 * @example
 * export const { GET, POST, DELETE } = chatHandler(runtime, { agent: "support" });
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 */
export function chatHandler(
  runtime: AnyRuntime | (() => AnyRuntime | Promise<AnyRuntime>),
  options: ChatOptions,
): ChatHandler {
  const given = kinds.filter((kind) => Object(options)[kind] !== undefined);
  const named = given.map((kind) => options[kind] as string);
  checkOptions("The options of the chat are wrong", withAuth(options as never), {
    rules,
    besides: [
      ...(given.length === 1 ? [] : ["one of `agent`, `workflow` and `pipeline` is needed, and no more"]),
      ...(typeof runtime === "function" ? [] : unknownNames(named, runtime)),
    ],
  });
  const { input, map, errorText = codeOf, basePath = "/api/chat", ...door } = options;
  const [kind = "workflow"] = given;
  const flow: ChatFlow = { workflow: named[0] as string, input: input ?? inputs[kind], map, errorText };
  const openRuntime = typeof runtime === "function" ? runtime : () => runtime;
  let opened: Promise<AnyRuntime> | null = null;
  const open = (): Promise<AnyRuntime> => {
    opened ??= Promise.resolve().then(openRuntime);
    opened.catch(() => void (opened = null));
    return opened;
  };
  const respond = async (request: Request, caller: DoorCaller): Promise<Response> =>
    answerRequest(openChats(await open(), flow, caller), request, caller);
  const answer = createDoor({ respond }, basePath, door);
  return { GET: answer, POST: answer, DELETE: answer, respond };
}

function unknownNames(names: readonly string[], runtime: AnyRuntime): string[] {
  const known = Object(Object(runtime).workflows);
  return names
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => `"${name}" is not a workflow of the runtime`);
}
