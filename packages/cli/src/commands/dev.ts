/**
 * Serves code that changes: each version in its own process, over one store.
 *
 * ```
 * change ──► load in a new process ──► does it load? ──no──► say why; the version before keeps serving
 *                                          │ yes
 *                                          └──► the old one frees its port and parks its runs; the new one takes both
 * ```
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { fileAndName } from "../code/file-and-name.js";
import { existingPath } from "../code/load-module.js";
import { portOf } from "../dev/listen.js";
import type { WorkerSetup } from "../dev/messages.types.js";
import { addressOf, isOwnAddress } from "../dev/own-address.js";
import { usualFolder } from "../dev/served-code.js";
import { type Serving, VersionProcess } from "../dev/version-process.js";
import { FileWatch } from "../dev/watch-files.js";
import type { ErrorDescription } from "../output/cli-error.js";
import { printError } from "../output/print-error.js";
import type { Terminal } from "../output/terminal.js";
import { interrupts } from "./interrupts.js";

interface DevOptions {
  readonly file?: string;
  readonly port?: string;
  readonly host: string;
  readonly store?: string;
  readonly token?: string;
}

export async function dev(terminal: Terminal, options: DevOptions): Promise<number> {
  const { store } = options;
  const where = portOf(options.port);
  const { file } = options;
  if (file !== undefined) existingPath(terminal.cwd, fileAndName(terminal.cwd, file).file);
  // The processes listen at the address that was checked, even if the name resolves to another one later.
  const host = options.host === "localhost" ? options.host : await addressOf(options.host);
  const token = options.token ?? (await tokenFor(host, terminal));
  const session = new DevSession(terminal, { setup: { file, store, host, token, cwd: terminal.cwd }, where });
  const interrupt = interrupts();
  try {
    return await session.run(interrupt.signal);
  } finally {
    interrupt.stop();
  }
}

/** `dev` shows the code of all steps and starts runs, so that other computers need a token. */
async function tokenFor(host: string, terminal: Terminal): Promise<string | null> {
  if (isOwnAddress(await addressOf(host))) return null;
  const given = terminal.env["MILLRACE_TOKEN"];
  if (given) return given;
  const token = randomBytes(18).toString("base64url");
  terminal.line(`token ${token}`);
  return token;
}

interface DevSetup {
  readonly setup: WorkerSetup;
  readonly where: { readonly port: number; readonly isDefault: boolean };
}

class DevSession {
  readonly #terminal: Terminal;
  readonly #setup: WorkerSetup;
  readonly #watch: FileWatch;
  #where: DevSetup["where"];
  /** What the version that was loaded last is made of. */
  #served: string | null = null;
  #current: VersionProcess | null = null;
  /** Those that still finish their steps. */
  readonly #leaving: Set<VersionProcess> = new Set();
  #next: VersionProcess | null = null;
  #isLoading = false;
  #isStale = false;
  #fatal: ((error: unknown) => void) | null = null;

  constructor(terminal: Terminal, { setup, where }: DevSetup) {
    this.#terminal = terminal;
    this.#setup = setup;
    this.#where = where;
    this.#watch = new FileWatch(() => this.#reload());
  }

  async run(signal: AbortSignal): Promise<number> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#fatal = reject;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#reload();
    try {
      await ended;
    } finally {
      this.#watch.close();
      this.#next?.kill(); // its code may never finish loading
      const last = this.#current;
      this.#current = null;
      await last?.close();
      await Promise.all([last, ...this.#leaving].map((version) => version?.left));
    }
    return 0;
  }

  #reload(): void {
    this.#isStale = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#loadAll().catch((error: unknown) => this.#fatal?.(error));
  }

  /** Again, where something has changed meanwhile. */
  async #loadAll(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#load();
    }
    this.#isLoading = false;
  }

  async #load(): Promise<void> {
    const next = new VersionProcess();
    this.#next = next;
    const loaded = await next.load(this.#setup);
    this.#next = null;
    if (loaded.type === "loaded") this.#served = loaded.served;
    this.#watchFiles(loaded.files);
    if (loaded.type === "failed") {
      next.kill();
      this.#current?.outdated(loaded.error);
      this.#printFailure(loaded.error);
      return;
    }
    const before = this.#current;
    await before?.close();
    if (before !== null) this.#release(before);
    this.#current = next;
    const serving = await next.serve(this.#where);
    if (serving.type === "failed") return this.#onNotServing(next, serving.error);
    this.#where = { port: serving.port, isDefault: false };
    next.onExit((code) => this.#onExit(next, code));
    this.#printServing(serving, before !== null);
  }

  #release(version: VersionProcess): void {
    this.#leaving.add(version);
    version.left.then(() => this.#leaving.delete(version));
  }

  #onNotServing(version: VersionProcess, error: ErrorDescription): void {
    version.kill();
    this.#current = null;
    throw Object.assign(new Error(error.message), error);
  }

  /** A step has ended the process. Only the next change starts it again: otherwise it would end again. */
  #onExit(version: VersionProcess, code: number | null): void {
    if (this.#current !== version) return;
    this.#current = null;
    this.#terminal.note(
      `The process of the workflows has ended (${code ?? "signal"}). It restarts when a file changes.`,
    );
  }

  #watchFiles(files: readonly string[]): void {
    const { cwd, file = usualFolder(cwd) } = this.#setup;
    const served = this.#served ?? fileAndName(cwd, file).file;
    const { path, isFolder } = existingPath(cwd, served);
    this.#watch.set([...files, ...(isFolder ? [] : [path])], isFolder ? path : dirname(path));
  }

  #printFailure(error: ErrorDescription): void {
    printError(this.#terminal, Object.assign(new Error(error.message), error));
    const rest = this.#current === null ? "Waiting for a change." : "The version before keeps serving.";
    this.#terminal.note(this.#terminal.paintError("dim", rest));
  }

  #printServing(serving: Extract<Serving, { type: "serving" }>, isReload: boolean): void {
    const terminal = this.#terminal;
    if (isReload) return terminal.line(terminal.paint("dim", `loaded again at ${new Date().toLocaleTimeString()}`));
    const path = serving.hasStudio ? "/studio/" : "";
    const urls = serving.urls.map((url) => terminal.paint("cyan", `${url}${path}`));
    terminal.line(`${terminal.paint("bold", "millrace")}  ${urls.join("\n          ")}`);
    if (this.#setup.token !== null)
      terminal.note("  Whoever has the token and reaches this computer can read the code of all steps and start runs.");
    for (const line of serving.lines) terminal.write(`${line}\n`);
    if (!serving.hasStudio) terminal.note("  The studio is not installed: npm install --save-dev @millrace/studio");
  }
}
