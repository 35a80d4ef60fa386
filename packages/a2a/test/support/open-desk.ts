/** A desk behind a port, in this process. */
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createServer } from "@millrace/server";
import type { Log } from "millrace";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { type A2aOptions, a2aHandler } from "../../src/index.js";
import { desk } from "./desk.js";

type ServerMore = Partial<Parameters<typeof createServer>[0]>;

export interface OpenDesk extends AsyncDisposable {
  readonly url: string;
  readonly runtime: Runtime;
  readonly effects: string[];
  readonly logged: unknown[];
}

export const card = { name: "Travel desk", description: "Books flights.", version: "1.0.0" };

interface RuntimeMore {
  readonly store?: RunStore;
}

export async function openDesk(
  options: Partial<A2aOptions> = {},
  more: ServerMore = {},
  { store = memoryStore() }: RuntimeMore = {},
): Promise<OpenDesk> {
  const effects: string[] = [];
  const logged: unknown[] = [];
  const log: Log = { info: () => {}, error: (...said) => void logged.push(said) };
  const push = options.push;
  const workflows = { ...desk((line) => effects.push(line)), ...(push && { outbox: push.workflow }) };
  const runtime = createRuntime({ workflows, store, log });
  await runtime.start();
  const skills = { booking: "Books a flight to a city." };
  const a2a = a2aHandler(runtime, { card, skills, log, ...options });
  const app = createServer({ runtime, a2a, log, ...more });
  const server = createHttpServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    runtime: runtime as unknown as Runtime,
    effects,
    logged,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await runtime.stop({ drainMs: 0 });
    },
  };
}
