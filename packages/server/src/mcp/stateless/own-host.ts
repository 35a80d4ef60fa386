/**
 * Refuses pages whose name leads to this server (DNS rebinding).
 *
 * Such a page is of the same origin as the request, so its origin proves nothing. It cannot know a bearer token, and it
 * has none of the names that the server is meant to have.
 *
 * @module
 */
import { localhostAllowedHostnames, validateHostHeader } from "@modelcontextprotocol/server";
import { HttpError } from "../../http/http-error.js";

/**
 * @param hosts Names under which pages may use the server, besides those of this machine.
 * @throws {HttpError} `FORBIDDEN`
 */
export function assertOwnHost({ headers, url }: Request, hosts: readonly string[]): void {
  const isOfPage = headers.has("origin") || headers.has("sec-fetch-site");
  if (!isOfPage || /^\s*bearer\s/i.test(headers.get("authorization") ?? "")) return;
  const host = headers.get("host") ?? new URL(url).host;
  if (validateHostHeader(host, [...localhostAllowedHostnames(), ...hosts]).ok) return;
  throw new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: `A page may not use this server under the name ${JSON.stringify(host)}.`,
    hint: "Name the host in `hosts` of `mcpHandler`, or send a bearer token.",
  });
}
