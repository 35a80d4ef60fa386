import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { wholeNumber } from "../option-values.js";
import { CliError } from "../output/cli-error.js";
import { addressOf, isEveryAddress, isOwnAddress, onlyOwnNames, reachableAddresses } from "./own-address.js";

export const defaultPort = 3000;
const tries = 100;

export interface Listening {
  readonly url: string;
  /** {@link url}, and those under which other computers reach it. */
  readonly urls: readonly string[];
  readonly address: string;
  /** Other computers do not reach the address. */
  readonly isOwn: boolean;
  readonly port: number;
  /** Accepts no more requests and ends active ones: clients of a stream reconnect. */
  close(): void;
}

export interface ListenOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** The next free port, where this one is in use. */
  readonly isDefault: boolean;
  /** `false`: an address of this computer answers only under names of this computer. */
  readonly asksToken: boolean;
}

/** @throws {CliError} `PORT_IN_USE` */
export async function listen({ port, isDefault, ...options }: ListenOptions): Promise<Listening> {
  for (let offset = 0; ; offset += 1) {
    const found = await tryPort({ ...options, port: port + offset });
    if (found !== null) return found;
    if (!isDefault || offset === tries) throw portInUse(port + offset);
  }
}

async function tryPort({ host, ...options }: Omit<ListenOptions, "isDefault">): Promise<Listening | null> {
  const hostname = await addressOf(host);
  return new Promise((resolve, reject) => {
    let answer = options.fetch;
    const server = serve({ fetch: (request) => answer(request), port: options.port, hostname }, () => {
      const { port, address } = server.address() as AddressInfo;
      const isOwn = isOwnAddress(address);
      if (isOwn && !options.asksToken) answer = onlyOwnNames(options.fetch);
      const names = [ownNameOf(host, address), ...reachableAddresses(address)];
      const urls = [...new Set(names)].map((name) => `http://${name.includes(":") ? `[${name}]` : name}:${port}`);
      resolve({ url: urls[0] as string, urls, address, isOwn, port, close: () => void closeAll(server) });
    });
    server.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(noPlace(error, { host, port: options.port }));
    });
  });
}

function ownNameOf(host: string, address: string): string {
  return host === "localhost" || isEveryAddress(address) ? "localhost" : address;
}

function closeAll(server: ReturnType<typeof serve>): void {
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
}

function noPlace(
  cause: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): CliError {
  return new CliError({
    code: "OPTION_INVALID",
    message: `The server cannot listen at ${host}, port ${port}: ${cause.code}.`,
    hint:
      cause.code === "EACCES"
        ? "Use a `--port` from 1024."
        : "Use a `--host` of this computer, such as 127.0.0.1, or 0.0.0.0 for all of its addresses.",
    details: { host, port },
    cause,
  });
}

function portInUse(port: number): CliError {
  return new CliError({
    code: "PORT_IN_USE",
    message: `Port ${port} is in use.`,
    hint: "Choose another one with `--port`, or leave it out for the next free one.",
    details: { port },
  });
}

/** @throws {CliError} `OPTION_INVALID` */
export function portOf(text: string | undefined): { readonly port: number; readonly isDefault: boolean } {
  return text === undefined
    ? { port: defaultPort, isDefault: true }
    : { port: wholeNumber("port", text, [0, 65_535]), isDefault: false };
}
