/** A real HTTP server that answers as a test says, and notes what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Listening extends AsyncDisposable {
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
}

/** `times` counts the requests to the same method and path before this one. */
export type Answer = (asked: Asked, response: ServerResponse, times: number) => void | Promise<void>;

export async function listen(answer: Answer): Promise<Listening> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://test");
    const chunks: Buffer[] = await request.toArray();
    const text = Buffer.concat(chunks).toString();
    const { method = "GET", headers } = request;
    const item = { method, path: pathname, query: searchParams, headers, body: text && JSON.parse(text) };
    const times = asked.filter((other) => other.method === method && other.path === pathname).length;
    asked.push(item);
    await answer(item, response, times);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A stream that the test writes. */
export function openSse(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
}

export function frame(sequence: number, more: object = {}): string {
  const envelope = { type: "Progress", value: { at: sequence }, types: null, sequence, origin: null, ...more };
  return `id: ${sequence}\ndata: ${JSON.stringify(envelope)}\n\n`;
}

export const lastFrame = (sequence: number): string =>
  frame(sequence, { type: "StopEvent", value: { result: "done" } });

/** What is behind the number that the request names. */
export function afterOf({ query, headers }: Asked): number {
  return Number(headers["last-event-id"] ?? query.get("after_sequence"));
}

/** Writes, and ends the connection as a fault would. */
export function cut(response: ServerResponse, text = ""): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => {
      // What is written leaves before the connection breaks.
      setTimeout(() => {
        response.destroy();
        resolve();
      }, 5);
    });
  });
}

export function handlerRecord(status: string, more: object = {}): object {
  const at = "2026-01-02T03:04:05.000Z";
  return {
    handler_id: "h",
    workflow_name: "joke",
    run_id: "h",
    version: null,
    status,
    started_at: at,
    updated_at: at,
    completed_at: status === "running" ? null : at,
    error: null,
    error_code: null,
    result: status === "completed" ? { type: "StopEvent", value: { result: "done" }, types: null } : null,
    waiting: false,
    prompts: [],
    wake_at: null,
    last_sequence: -1,
    labels: {},
    queue: null,
    sealed: false,
    forked_from: null,
    ...more,
  };
}
