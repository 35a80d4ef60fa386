/**
 * Sends requests to the internet only: the address of a host name is checked when the connection is made, so
 * a name that resolves to another address later is refused then.
 *
 * @module
 */
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { WorkflowError } from "millrace";
import { isPublicAddress } from "./public-address.js";
import type { AllowReceiver } from "./push-notifications.types.js";

interface Modules {
  readonly net: typeof import("node:net");
  readonly dns: typeof import("node:dns");
  readonly https: typeof import("node:https");
  readonly http: typeof import("node:http");
}

/** `null` where there are none, such as in workers, which reach no private network. */
function nodeModules(): Modules | null {
  const get = globalThis.process?.getBuiltinModule;
  if (typeof get !== "function") return null;
  const [net, dns, https, http] = [get("node:net"), get("node:dns"), get("node:https"), get("node:http")];
  return net === undefined || dns === undefined ? null : { net, dns, https, http };
}

/** Whether all addresses of a host are public. A name without an address is not. */
export async function isPublicHost({ hostname }: URL): Promise<boolean> {
  const modules = nodeModules();
  if (modules === null) return /[a-z]/i.test(hostname) && !/(^|\.)localhost\.?$/i.test(hostname);
  const { net, dns } = modules;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (net.isIP(host) !== 0) return isPublicAddress(host, net);
  try {
    const addresses = await dns.promises.lookup(host, { all: true });
    return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address, net));
  } catch {
    return false; // it cannot be resolved
  }
}

/** `fetch` for requests with a text as the body. The body of the response is dropped. */
export const publicFetch: typeof fetch = async (input, init = {}) => {
  const url = new URL(String(input));
  const modules = nodeModules();
  if (modules === null) return fetch(input, init);
  const { net, https, http } = modules;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (net.isIP(host) !== 0 && !isPublicAddress(host, net)) throw notPublic(url);
  const { method = "GET", signal, headers, body } = init;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method,
      headers: headers as Record<string, string>,
      ...(signal && { signal }),
      lookup: publicLookup(modules, url),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      response.resume();
      const { statusCode: status = 500, headers: received } = response;
      const after = received["retry-after"];
      resolve(new Response(null, { status, ...(after !== undefined && { headers: { "retry-after": after } }) }));
    });
    request.end(body as string);
  });
};

/** Asks again before each attempt: what is allowed may have changed since the receiver was stored. */
export function allowedFetch(allow: AllowReceiver): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (!(await allow(url))) throw notPublic(url);
    return fetch(input, init);
  };
}

function publicLookup({ net, dns }: Modules, url: URL): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error !== null) return callback(error, "", 0);
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address, net)))
        return callback(notPublic(url), "", 0);
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function notPublic({ origin }: URL): WorkflowError {
  const error = new WorkflowError({
    code: "WEBHOOK_FAILED",
    message: `The webhook to ${origin} is not sent: its address is not allowed.`,
    hint: "Addresses on the internet are, and those that `allow` of `pushNotifications` allows.",
    details: { origin },
  });
  return Object.assign(error, { retryable: false });
}
