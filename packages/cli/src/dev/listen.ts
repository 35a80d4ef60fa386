import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { wholeNumber } from "../option-values.js";
import { CliError } from "../output/cli-error.js";

export const defaultPort = 3000;
const tries = 100;

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, and ends those that are under way: clients of a stream connect again. */
  close(): void;
}

export interface ListenOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** The next free port, where this one is in use. */
  readonly isDefault: boolean;
}

/** @throws {CliError} `PORT_IN_USE` */
export async function listen({ port, isDefault, ...options }: ListenOptions): Promise<Listening> {
  for (let offset = 0; ; offset += 1) {
    const found = await tryPort({ ...options, port: port + offset });
    if (found !== null) return found;
    if (!isDefault || offset === tries) throw portInUse(port + offset);
  }
}

function tryPort({ fetch, host, port }: Omit<ListenOptions, "isDefault">): Promise<Listening | null> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: host }, () => {
      const { port: open } = server.address() as AddressInfo;
      const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
      resolve({ url: `http://${name}:${open}`, port: open, close: () => void closeAll(server) });
    });
    server.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(noPlace(error, { host, port }));
    });
  });
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
        ? "Give a `--port` from 1024."
        : "Give a `--host` that this computer has, such as 127.0.0.1, or 0.0.0.0 for all of its addresses.",
    details: { host, port },
    cause,
  });
}

function portInUse(port: number): CliError {
  return new CliError({
    code: "PORT_IN_USE",
    message: `Port ${port} is in use.`,
    hint: "Give another one with `--port`, or leave it out for the next free one.",
    details: { port },
  });
}

/** @throws {CliError} `OPTION_INVALID` */
export function portOf(text: string | undefined): { readonly port: number; readonly isDefault: boolean } {
  return text === undefined
    ? { port: defaultPort, isDefault: true }
    : { port: wholeNumber("port", text, [0, 65_535]), isDefault: false };
}
