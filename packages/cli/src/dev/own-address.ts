/**
 * Addresses that only this computer reaches.
 *
 * What counts is the address that is listened on: `LOCALHOST`, `127.1`, `0x7f000001` and the name of the computer are spellings of
 * one. A page can let its own name lead there (DNS rebinding). Its requests then have its own origin, and only their `Host` shows it.
 *
 * @module
 */
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

type Fetch = (request: Request) => Response | Promise<Response>;

const own = new BlockList();
own.addSubnet("127.0.0.0", 8, "ipv4");
own.addAddress("::1", "ipv6");

/** `true` for an address, in any spelling of an address, that other computers do not reach. */
export function isOwnAddress(address: string): boolean {
  return isIP(address) !== 0 && own.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The address of a host name; the name itself if it has none, which listening then reports. */
export async function addressOf(host: string): Promise<string> {
  return lookup(host).then(
    ({ address }) => address,
    () => host,
  );
}

/** Addresses under which a server at `address` is reached from elsewhere: all of this computer for `0.0.0.0` and `::`. */
export function reachableAddresses(address: string): string[] {
  if (!isEveryAddress(address)) return isOwnAddress(address) ? [] : [address];
  return Object.values(networkInterfaces()).flatMap((list = []) =>
    list
      .filter(({ internal, family }) => !internal && (address === "::" || family === "IPv4"))
      .map((one) => one.address),
  );
}

export function isEveryAddress(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** As `fetch`, but only for the names of this computer. */
export function onlyOwnNames(fetch: Fetch): Fetch {
  return (request) => (isOwnName(new URL(request.url).hostname) ? fetch(request) : refusal());
}

function isOwnName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isOwnAddress(name.replace(/^\[|\]$/g, ""));
}

function refusal(): Response {
  const error = {
    detail: "The request names another host than this computer.",
    code: "FORBIDDEN",
    hint: "Open it as localhost or 127.0.0.1. Behind a proxy, use `millrace serve` with a `--token`.",
  };
  return Response.json(error, { status: 403 });
}
