/**
 * The client of another agent.
 *
 * The card says where the agent is. Only addresses of the origin that was given are used, and those of `origins`: whoever could write
 * the card would otherwise get the credentials.
 *
 * @module
 */
import type { AgentCard } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { WorkflowError } from "millrace";

/** Headers of every request, such as `authorization`; a function is called for each. */
export type RemoteHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

export interface ClientSource {
  /** Address of the agent: the card is at `/.well-known/agent-card.json` below it, or at the address itself if it ends with `.json`. */
  readonly url: string;
  readonly headers: RemoteHeaders;
  readonly origins: readonly string[];
  readonly fetch: typeof fetch;
}

/** @throws {WorkflowError} `REMOTE_AGENT_FAILED` for a card without an address that may be used. */
export async function openClient(source: ClientSource): Promise<Client> {
  const { url } = source;
  const allowed = new Set([new URL(url).origin, ...source.origins]);
  const fetchImpl: typeof fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : String(input));
    if (!allowed.has(origin)) throw notAllowed(origin, url);
    const own = typeof source.headers === "function" ? await source.headers() : source.headers;
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    // A redirect would take the headers along to where it leads.
    return source.fetch(input, { ...init, headers, redirect: "error" });
  };
  const resolver = new DefaultAgentCardResolver({ fetchImpl });
  const card = url.endsWith(".json") ? await resolver.resolve(url, "") : await resolver.resolve(withSlash(url));
  const usable = (card.supportedInterfaces ?? []).filter((one) => isUsable(one.url, allowed));
  if (usable.length === 0) throw unusable(card, url);
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    }),
  );
  return factory.createFromAgentCard({ ...card, supportedInterfaces: usable });
}

function isUsable(url: string, allowed: ReadonlySet<string>): boolean {
  return URL.canParse(url) && allowed.has(new URL(url).origin);
}

function unusable({ supportedInterfaces = [] }: AgentCard, url: string): WorkflowError {
  const origins = supportedInterfaces.map((one) => (URL.canParse(one.url) ? new URL(one.url).origin : one.url));
  return notAllowed(origins.join(", ") || "none", url);
}

function notAllowed(origins: string, url: string): WorkflowError {
  const error = new WorkflowError({
    code: "REMOTE_AGENT_FAILED",
    message: `The card of the agent at ${url} names addresses of other origins: ${origins}.`,
    hint: "Allow them with `origins` of `remoteAgent`, if they belong to the agent.",
    details: { url, origins },
  });
  return Object.assign(error, { retryable: false });
}

/** With one slash at its end: the resolver adds the path of the card. */
function withSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return `${url.slice(0, end)}/`;
}
