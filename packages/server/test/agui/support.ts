/** The real client of AG-UI in front of a server. */
import { HttpAgent, type HttpAgentConfig } from "@ag-ui/client";
import type { BaseEvent, Message, RunAgentInput } from "@ag-ui/core";
import { EventSchema } from "@ag-ui/core/schemas";
import { createRuntime, memoryStore, type RunStore, type Workflows } from "millrace/runtime";
import { type AguiOptions, aguiHandler } from "../../src/agui.js";
import { createServer } from "../../src/index.js";

/** A client that remembers what it has heard, and checks each event by the schema of the protocol. */
export class Client extends HttpAgent {
  readonly heard: BaseEvent[] = [];

  constructor({ fetch: given = fetch, ...config }: HttpAgentConfig) {
    super({ ...config, fetch: async (url, init) => quiet(await given(url, init)) });
    this.subscribe({
      onEvent: ({ event }) => {
        const checked = EventSchema.safeParse(event);
        if (!checked.success) throw checked.error;
        this.heard.push(event);
      },
    });
  }

  say(content: string, options: { readonly runId?: string; readonly id?: string } = {}) {
    const { id = `m${this.messages.length}`, runId } = options;
    this.addMessage({ id, role: "user", content });
    return this.runAgent(runId === undefined ? {} : { runId });
  }

  /** Answers every open interrupt with the same. */
  resume(payload: object) {
    const resume = this.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved" as const, payload }));
    return this.runAgent({ resume });
  }

  get types(): string[] {
    return this.heard.map(({ type }) => type);
  }

  /** The last event of this type. */
  last(type: string): BaseEvent | undefined {
    return this.heard.findLast((event) => event.type === type);
  }

  get text(): string {
    const last = this.messages.findLast(({ role }) => role === "assistant");
    return String(last?.content ?? "");
  }
}

/**
 * A response that ends where its connection breaks off: when a body fails, the client rejects a promise that nobody can
 * catch, besides reporting the failure.
 */
function quiet(response: Response): Response {
  if (response.body === null || !response.ok) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(target) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
      if (done) target.close();
      else target.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

export async function openServer(workflows: Workflows, options: AguiOptions = {}, store: RunStore = memoryStore()) {
  const runtime = createRuntime({ workflows, store });
  await runtime.start();
  const app = createServer({ runtime, agui: aguiHandler(runtime, options) });
  const send = async (path: string, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(`http://desk.example${path}`, init));
  const client = (workflow: string, threadId = "t1", initialMessages: Message[] = []): Client =>
    new Client({
      url: `/agui/${workflow}`,
      threadId,
      initialMessages,
      fetch: (path, init) => send(path, init),
    });
  return { runtime, app, send, client, [Symbol.asyncDispose]: () => runtime.stop({ drainMs: 0 }) };
}

/** A request as a client makes it. */
export function post(input: Partial<RunAgentInput> | object, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(input) };
}

/** The events of a response. */
export async function eventsOf(response: Response): Promise<BaseEvent[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as BaseEvent);
}
