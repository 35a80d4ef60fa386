/** Chats as pages have them: the `Chat` of the AI SDK in front of a handler. */
import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  parseJsonEventStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { createRuntime, memoryStore, type RunStore, type Runtime, type Workflows } from "millrace/runtime";
import { isAnswered } from "../../src/client.js";
import { type ChatHandler, type ChatOptions, chatHandler } from "../../src/index.js";

const origin = "http://desk.example";

/** One function for all methods, which checks that each chunk fits the schema of the AI SDK. */
export function fetchOf(handler: ChatHandler): typeof fetch {
  return async (input, init) => {
    const request = new Request(new URL(String(input), origin), init);
    const response = await handler[request.method as "GET" | "POST" | "DELETE"](request);
    if (response.body === null || !response.ok || response.headers.get("content-type")?.includes("json"))
      return response;
    const [body, copy] = response.body.tee();
    checkChunks(copy).catch(() => {}); // the page has the same error
    return new Response(body, response);
  };
}

export const faults: unknown[] = [];

/** What is cut off by its reader is no fault. */
async function checkChunks(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const part of parseJsonEventStream<UIMessageChunk>({ stream, schema: uiMessageChunkSchema }))
    if (!part.success) faults.push(part.error);
}

export interface OpenedDesk {
  readonly runtime: Runtime;
  readonly fetch: typeof fetch;
  /** A page with this chat. */
  page(id: string, options?: PageOptions): Chat<UIMessage>;
  /** The messages as a page loads them. */
  messages(id: string): Promise<UIMessage[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface PageOptions {
  readonly messages?: UIMessage[];
  readonly sendsAnswers?: boolean;
}

export async function openDesk(
  workflows: Workflows,
  options: ChatOptions,
  store: RunStore = memoryStore(),
): Promise<OpenedDesk> {
  const runtime = createRuntime({ workflows, store }) as unknown as Runtime;
  await runtime.start();
  const fetch = fetchOf(chatHandler(runtime, options));
  return {
    runtime,
    fetch,
    page: (id, given = {}) => page(fetch, id, given),
    messages: async (id) => (await fetch(`${origin}/api/chat/${id}`)).json() as Promise<UIMessage[]>,
    [Symbol.asyncDispose]: () => runtime.stop({ drainMs: 0 }),
  };
}

export function page(fetch: typeof globalThis.fetch, id: string, { messages = [], sendsAnswers = true }: PageOptions) {
  let ids = 0;
  return new Chat<UIMessage>({
    id,
    messages,
    generateId: () => `${id}-m${messages.length + ids++}`,
    transport: new DefaultChatTransport({ api: `${origin}/api/chat`, fetch }),
    ...(sendsAnswers && { sendAutomaticallyWhen: isAnswered }),
  });
}

/** Text of the last message. */
export function lastText({ messages }: Pick<Chat<UIMessage>, "messages">): string {
  return textOf(messages.at(-1));
}

export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The tools of the last message, as `name: state`. */
export function toolStates({ messages }: Pick<Chat<UIMessage>, "messages">): string[] {
  return (messages.at(-1)?.parts ?? []).filter(isToolUIPart).map((part) => {
    const name = part.type === "dynamic-tool" ? part.toolName : part.type.slice(5);
    return `${name}: ${part.state}`;
  });
}

/** Ids of the open approvals of the last message. */
export function openApprovals({ messages }: Pick<Chat<UIMessage>, "messages">): string[] {
  return (messages.at(-1)?.parts ?? [])
    .filter(isToolUIPart)
    .flatMap((part) => (part.state === "approval-requested" ? part.approval.id : []));
}
