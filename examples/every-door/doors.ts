// What the client of each door sends, without its library: how a run is begun, and how its question is answered.
import { randomUUID } from "node:crypto";

export interface Fields {
  readonly approved: boolean;
  readonly note: string;
}

/** A run, as the door that has begun it names it. */
export interface Begun {
  readonly runId: string;
  /** The chat, the thread or the context. */
  readonly thread: string;
}

export interface Answer extends Begun {
  readonly promptId: string;
  readonly fields: Fields;
  /** The address in the mail. */
  readonly link: string;
}

export interface Door {
  /** As the journal names it. */
  readonly name: string;
  /** `null`: this door begins no runs. */
  readonly begin: ((origin: string, message: string) => Promise<Begun>) | null;
  /** Returns the response. */
  answer(origin: string, answer: Answer): Promise<Response>;
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
}

/** What is read of the answers: of HTTP the first field, of MCP the id of a task, of A2A the task. */
interface Said {
  readonly handler_id: string;
  readonly result: { readonly taskId: string; readonly task: { readonly id: string; readonly contextId: string } };
}

const json = async (response: Response): Promise<Said> => {
  const text = await response.text();
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(data.at(-1)?.slice(6) ?? text);
};

/** The studio and every program: the HTTP API. */
export const http: Door = {
  name: "http",
  async begin(origin, message) {
    const { handler_id: runId } = await json(
      await post(`${origin}/workflows/refund/run-nowait`, { kwargs: { message } }),
    );
    return { runId, thread: "" };
  },
  answer: (origin, { runId, promptId, fields }) =>
    post(`${origin}/handlers/${encodeURIComponent(runId)}/prompts/${encodeURIComponent(promptId)}`, { fields }),
};

/** A link in a mail, or a webhook. */
export const link: Door = {
  name: "link",
  begin: null,
  answer: (origin, { link: address, fields }) => post(origin + new URL(address).pathname, fields),
};

/** `useChat` of the AI SDK. */
export const chat: Door = {
  name: "chat",
  async begin(origin, message) {
    const thread = randomUUID();
    const said = { id: randomUUID(), role: "user", parts: [{ type: "text", text: message }] };
    await read(await post(`${origin}/chat`, { id: thread, messages: [said] }));
    return { runId: `chat.${thread}.1`, thread };
  },
  async answer(origin, { runId, thread, promptId, fields }) {
    const last = { id: runId, role: "assistant", parts: [{ type: "step-start" }] };
    return post(`${origin}/chat`, { id: thread, messages: [last], answers: { [promptId]: fields } });
  },
};

/** AG-UI, as CopilotKit speaks it. */
export const agui: Door = {
  name: "agui",
  async begin(origin, message) {
    const threadId = randomUUID();
    const messages = [{ id: randomUUID(), role: "user", content: message }];
    await read(await post(`${origin}/agui/refund`, { ...run(threadId), messages }));
    return { runId: `agui/refund/${threadId}/1`, thread: threadId };
  },
  answer: (origin, { thread, promptId, fields }) =>
    post(`${origin}/agui/refund`, {
      ...run(thread),
      messages: [],
      resume: [{ interruptId: promptId, status: "resolved", payload: fields }],
    }),
};

const run = (threadId: string) => ({
  ...{ threadId, runId: randomUUID(), tools: [], context: [], state: {}, forwardedProps: {} },
});

/** The Model Context Protocol: an assistant calls a tool, and its person answers. */
export const mcp: Door = {
  name: "mcp",
  async begin(origin, message) {
    const { result } = await json(await call(origin, "tools/call", { name: "refund", arguments: { message } }));
    return { runId: result.taskId, thread: "" };
  },
  answer: (origin, { runId, promptId, fields }) =>
    call(origin, "tasks/update", {
      taskId: runId,
      inputResponses: { [promptId]: { action: "accept", content: fields } },
    }),
};

function call(origin: string, method: string, params: Record<string, unknown>): Promise<Response> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "example", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {
      elicitation: { form: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
    },
  };
  return post(
    `${origin}/mcp`,
    { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params["taskId"] ?? params["name"]),
    },
  );
}

/** A2A: another agent has sent the task, and answers it. */
export const a2a: Door = {
  name: "a2a",
  async begin(origin, message) {
    const { result } = await json(await send(origin, { parts: [{ text: message }] }));
    return { runId: result.task.id, thread: result.task.contextId };
  },
  answer: (origin, { runId, thread, fields }) =>
    send(origin, { parts: [{ data: fields }], taskId: runId, contextId: thread }),
};

function send(origin: string, message: object): Promise<Response> {
  const params = {
    message: { messageId: randomUUID(), role: "ROLE_USER", ...message },
    configuration: { returnImmediately: true },
  };
  return post(`${origin}/a2a`, { jsonrpc: "2.0", id: 1, method: "SendMessage", params }, { "a2a-version": "1.0" });
}

/** To its end: the run asks, and the stream is over. */
async function read(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  await response.text();
}

export const doors: readonly Door[] = [http, link, chat, agui, mcp, a2a];
