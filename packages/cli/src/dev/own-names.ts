/**
 * Refuses what comes to this computer under the name of another site.
 *
 * A page can let its own name lead to 127.0.0.1 (DNS rebinding). Its requests then have its own origin, and only their `Host` tells.
 *
 * @module
 */
type Fetch = (request: Request) => Response | Promise<Response>;

/** As `fetch`, but on an address of this computer only for its own names. On others every name may lead to it. */
export function onlyOwnNames(fetch: Fetch, host: string): Fetch {
  if (!isOwnName(host)) return fetch;
  return (request) => (isOwnName(new URL(request.url).hostname) ? fetch(request) : refusal());
}

function isOwnName(name: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(name);
}

function refusal(): Response {
  const error = {
    detail: "The request names another host than this computer.",
    code: "FORBIDDEN",
    hint: "Open it as localhost or 127.0.0.1. Behind a proxy, use `millrace serve` with a `--token`.",
  };
  return Response.json(error, { status: 403 });
}
