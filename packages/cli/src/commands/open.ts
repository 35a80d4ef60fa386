/** Opens the page of a run: in the studio of a server, or over a file of `millrace export`. */
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { readRunFile } from "@millrace/client/run-file";
import { loadPackage } from "../code/user-millrace.js";
import { listen, portOf } from "../dev/listen.js";
import { readNamedFile } from "../output/read-file.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import { untilInterrupted } from "./interrupts.js";

interface OpenOptions {
  /** Id of a run, or the path of a file. */
  readonly run: string;
  readonly url?: string;
  readonly token?: string;
  readonly port?: string;
}

/** Unless a server is named, the path of a file is one; a folder may be named like a run. */
export async function open(terminal: Terminal, { run, ...options }: OpenOptions): Promise<number> {
  const path = resolve(terminal.cwd, run);
  const isFile =
    options.url === undefined && (run.endsWith(".run") || statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  return isFile ? openFile(terminal, { path, ...options }) : openRun(terminal, { runId: run, ...options });
}

interface OpenRunOptions extends Omit<OpenOptions, "run"> {
  readonly runId: string;
}

/** Where `dev` listens. */
const usualUrl = "http://127.0.0.1:3000";

/** Prints the address, and opens a browser if a person is there. @throws {CliError} `SERVER_UNREACHABLE`; `RUN_UNKNOWN` */
async function openRun(terminal: Terminal, options: OpenRunOptions): Promise<number> {
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

/** A package that is installed where the pages are wanted. */
interface StudioFiles {
  readonly studioFile: (path: string) => Promise<{ readonly body: Uint8Array; readonly type: string } | null>;
}

interface OpenFileOptions {
  readonly path: string;
  readonly port?: string;
}

/** Serves the page to this computer until it is interrupted. @throws {CliError} `FILE_UNKNOWN`; `RUN_FILE_INVALID` */
async function openFile(terminal: Terminal, { path, port }: OpenFileOptions): Promise<number> {
  const name = basename(path);
  const bytes = new Uint8Array(readNamedFile(path, { name, hint: "`millrace export <run>` writes one." }));
  const { handler } = await readRunFile(bytes); // what is wrong is told here, not in the page
  const page = await pageOver(bytes, { name, cwd: terminal.cwd });
  const server = await listen({ fetch: page, host: "127.0.0.1", asksToken: false, ...portOf(port) });
  const address = `${server.url}/file.html?src=${encodeURIComponent(name)}#/run/${encodeURIComponent(handler.handler_id)}`;
  if (terminal.isJson) terminal.json({ url: address });
  else terminal.line(address);
  terminal.note("Ctrl-C ends it. The page sends nothing anywhere.");
  if (terminal.isInteractive) browse(address);
  await untilInterrupted();
  server.close();
  return 0;
}

/** The files of the studio, and the run file beside them. */
async function pageOver(
  bytes: Uint8Array<ArrayBuffer>,
  { name, cwd }: { readonly name: string; readonly cwd: string },
): Promise<(request: Request) => Promise<Response>> {
  const { studioFile } = (await loadPackage("@millrace/studio", { from: `${cwd}/` })) as StudioFiles;
  return async (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (path === name) return new Response(bytes, { headers: { "content-type": "application/octet-stream" } });
    const file = await studioFile(path);
    if (file === null) return new Response(null, { status: 404 });
    const { body, type } = file;
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": type, "x-content-type-options": "nosniff", "cache-control": "no-cache" },
    });
  };
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
