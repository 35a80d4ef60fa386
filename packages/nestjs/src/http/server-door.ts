/**
 * The server behind a controller of Nest: requests of Express and Fastify as those of the web, and its answers as theirs.
 *
 * Guards, interceptors and the body parser of the application come first, as for any other controller. The server gets a parsed body
 * as it was received where the application keeps it (`rawBody: true`), else as JSON.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createServer, type ServerOptions } from "@millrace/server";
import type { OnApplicationBootstrap } from "@nestjs/common";
import { type NestRequest, rememberNestRequest } from "./nest-requests.js";

/** What Nest passes to a controller: the response of Express, which is Node's, or that of Fastify. */
type NestResponse = ServerResponse | FastifyReply;

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): void;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
}

type Listener = ReturnType<typeof getRequestListener>;

export interface DoorPlace {
  readonly path: string;
  /** Global prefix of the application, which is known once it is initialised. */
  readonly prefix: () => string;
}

export class ServerDoor implements OnApplicationBootstrap {
  readonly #options: ServerOptions;
  readonly #place: DoorPlace;
  readonly #listeners: Map<string, Listener> = new Map();
  readonly #received: WeakMap<IncomingMessage, NestRequest> = new WeakMap();

  constructor(options: ServerOptions, place: DoorPlace) {
    this.#options = options;
    this.#place = place;
  }

  /** @throws {WorkflowError} `OPTION_INVALID` naming every problem of the server's options. */
  onApplicationBootstrap(): void {
    const { path, prefix } = this.#place;
    // The second one is where the application excludes the path from its prefix.
    for (const basePath of new Set([pathOf(prefix(), path), pathOf(path)])) this.#mount(basePath);
  }

  #mount(basePath: string): void {
    const { fetch } = createServer({ ...this.#options, basePath });
    const listener = getRequestListener(
      (request, platform) => {
        rememberNestRequest(request, this.#received.get((platform as { incoming: IncomingMessage }).incoming) ?? {});
        return fetch(request, platform);
      },
      { overrideGlobalObjects: false },
    );
    this.#listeners.set(basePath, listener);
  }

  async handle(request: NestRequest, response: NestResponse): Promise<void> {
    const incoming = request.raw ?? (request as IncomingMessage);
    const body = receivedBody(request, incoming);
    if (body !== null) Object.assign(incoming, { rawBody: body });
    this.#received.set(incoming, request);
    await this.#listenerOf(incoming.url ?? "/")(incoming, rawResponse(response));
  }

  #listenerOf(url: string): Listener {
    const [path = ""] = url.split("?");
    const mounts = [...this.#listeners];
    const found = mounts.find(([basePath]) => path === basePath || path.startsWith(`${basePath}/`)) ?? mounts[0];
    return (found as [string, Listener])[1];
  }
}

function pathOf(...texts: string[]): string {
  const parts = texts.flatMap((text) => text.split("/"));
  return `/${parts.filter((part) => part !== "").join("/")}`;
}

/** `null`: no parser of the application has read it. */
function receivedBody({ rawBody, body }: NestRequest, incoming: IncomingMessage): Buffer | null {
  if (rawBody instanceof Buffer) return rawBody;
  if (body instanceof Buffer) return body;
  if (body === undefined || !incoming.readableDidRead) return null;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

/** Fastify does not write the response from here on; the headers that its hooks have set are copied. */
function rawResponse(response: NestResponse): ServerResponse {
  if (!("hijack" in response)) return response;
  for (const [name, value] of Object.entries(response.getHeaders()))
    if (value !== undefined) response.raw.setHeader(name, value);
  response.hijack();
  return response.raw;
}
