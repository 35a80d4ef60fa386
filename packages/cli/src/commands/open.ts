/** Opens the page of a run in the studio of a server. */
import { spawn } from "node:child_process";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";

interface OpenRunOptions {
  readonly runId: string;
  readonly url?: string;
  readonly token?: string;
}

/** Where `dev` listens. */
const usualUrl = "http://127.0.0.1:3000";

/** Prints the address, and opens a browser if a person is there. @throws {CliError} `SERVER_UNREACHABLE`; `RUN_UNKNOWN` */
export async function openRun(terminal: Terminal, options: OpenRunOptions): Promise<number> {
  const { runId } = options;
  return withTarget(openTarget(terminal, { ...options, url: options.url ?? usualUrl }), async (target) => {
    await target.row(runId);
    const address = studioAddress(target.name, runId);
    if (terminal.isJson) terminal.json({ url: address });
    else terminal.line(address);
    if (terminal.isInteractive) browse(address);
    return 0;
  });
}

export function studioAddress(server: string, runId: string): string {
  const base = /^https?:/i.test(server) ? server : `http://${server}`;
  return `${base.replace(/(?<!\/)\/+$/, "")}/studio/#/run/${encodeURIComponent(runId)}`;
}

const openers: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** The address is on the screen: without a browser, nothing is lost. */
function browse(address: string): void {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
