import type { IncomingMessage } from "node:http";

/** What Nest passes to a controller: the request of Express, or that of Fastify with Node's in `raw`. */
export interface NestRequest {
  readonly raw?: IncomingMessage;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

const nestRequests = new WeakMap<Request, NestRequest>();

export function rememberNestRequest(request: Request, nestRequest: NestRequest): void {
  nestRequests.set(request, nestRequest);
}

/**
 * The request of Express or Fastify behind a request that `auth`, `queueOf` or `clientOf` of the server gets, with what guards have put
 * into it, such as `user`.
 *
 * @returns `undefined` for a request that did not come through the module.
 * @example
 * server: { auth: (request) => ({ tenant: nestRequestOf<{ user: User }>(request).user.company }) }
 */
export function nestRequestOf<NestRequest = unknown>(request: Request): NestRequest {
  return nestRequests.get(request) as NestRequest;
}
