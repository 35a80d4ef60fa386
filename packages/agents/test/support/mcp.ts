/** Servers of the Model Context Protocol in processes of their own, and clients for them. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMCPClient, type MCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { killed } from "../../../../test-kill.js";
import { freePort } from "../../../../test-ports.js";
import { scriptArguments, startScript } from "./scripts.js";

export interface Desk extends AsyncDisposable {
  /** What the server was asked, as `name arguments`. */
  readonly asked: readonly string[];
  connect(): Promise<MCPClient>;
  /** As `kill -9`; the next connection finds a new one. */
  kill(): Promise<void>;
}

/** A server that each client starts for itself. */
export function overStdio(): Desk {
  const { folder, log, asked } = newLog();
  const clients: MCPClient[] = [];
  const kill = async (): Promise<void> => {
    for (const client of clients.splice(0)) await client.close();
  };
  return {
    kill,
    get asked() {
      return asked();
    },
    async connect() {
      const [command, args] = [process.execPath, scriptArguments("mcp-process.ts", ["stdio", log])];
      const client = await createMCPClient({ transport: new StdioTransport({ command, args: [...args] }) });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Mode = "" | "sessions" | "renamed";

export interface HttpDesk extends Desk {
  readonly url: string;
  /** How the next server behaves. */
  mode: Mode;
}

/** A server on a port of its own. With sessions, it knows no client any more after a restart. */
export async function overHttp(mode: Mode = ""): Promise<HttpDesk> {
  const { folder, log, asked } = newLog();
  const port = await freePort();
  const clients: MCPClient[] = [];
  let server: ChildProcess | null = null;
  const isUp = () => server !== null && server.exitCode === null && server.signalCode === null;
  const url = `http://127.0.0.1:${port}`;
  const kill = async (): Promise<void> => {
    if (server !== null) await killed(server);
  };
  const desk: HttpDesk = {
    url,
    mode,
    kill,
    get asked() {
      return asked();
    },
    async connect() {
      if (!isUp()) {
        server = startScript("mcp-process.ts", [String(port), log, desk.mode]);
        await once(server, "message");
      }
      const client = await createMCPClient({ transport: { type: "http", url } });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return desk;
}

function newLog() {
  const folder = mkdtempSync(join(tmpdir(), "desk-"));
  const log = join(folder, "log");
  const asked = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { folder, log, asked };
}
