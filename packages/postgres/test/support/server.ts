import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endsWithUs } from "@millrace/conformance/processes";
import pg from "pg";
import { freePort } from "../../../../test-ports.js";
import { findBinaries } from "./binaries.js";

/**
 * A server of its own, in a temporary folder, on a port of its own. Nothing on it survives a loss of power, and it does not
 * outlive this process.
 */
export class Server implements AsyncDisposable {
  readonly port: number;
  readonly #native: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(native: string, port: number, settings: readonly string[]) {
    this.port = port;
    this.#native = native;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), "millrace-postgres-"));
    if (process.getuid?.() === 0) chownSync(this.#folder, nobody, nobody);
  }

  static async start(settings: readonly string[] = []): Promise<Server> {
    const server = new Server(findBinaries(), await freePort(), settings);
    const args = ["-D", join(server.#folder, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
    const { status, stderr } = spawnSync(server.#program("initdb"), [...args, "--locale=C"], {
      ...asServer,
      cwd: server.#folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
    await server.run();
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  async run(): Promise<void> {
    const fast = ["max_connections=200", "shared_buffers=128MB", "max_wal_size=2GB", ...this.#settings];
    const place = ["-D", join(this.#folder, "data"), "-p", String(this.port), "-h", "127.0.0.1", "-k", this.#folder];
    const args = [...place, ...fast.flatMap((setting) => ["-c", setting])];
    const options = { ...asServer, cwd: this.#folder, stdio: "ignore", detached: true } as const;
    this.#process = spawn(this.#program("postgres"), args, options);
    endsWithUs(this.#process, { signal: "SIGQUIT", folder: this.#folder });
    for (let attempt = 0; ; attempt++) {
      try {
        return await query(this.url, "SELECT 1").then(() => undefined);
      } catch (error) {
        if (attempt === 600) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** @param how `fast` breaks connections and writes all down; `immediate` is a crash. */
  async halt(how: "fast" | "immediate" = "fast"): Promise<void> {
    const running = this.#process;
    if (running === null) return;
    this.#process = null;
    const ended = once(running, "exit");
    running.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  }

  /** From here on it only follows another server, which there is not. */
  async becomeStandby(): Promise<void> {
    await this.halt();
    const signal = join(this.#folder, "data", "standby.signal");
    writeFileSync(signal, "");
    if (process.getuid?.() === 0) chownSync(signal, nobody, nobody);
    await this.run();
  }

  /** A second server that streams every commit of this one, under this name. */
  async startStandby(name: string): Promise<Server> {
    const following = `primary_conninfo=host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`;
    const standby = new Server(this.#native, await freePort(), [...this.#settings, following]);
    const [from, to] = [join(this.#folder, "data"), join(standby.#folder, "data")];
    // A base backup by hand: `pg_basebackup` is not among the programs.
    const backup = new pg.Client({ connectionString: this.url });
    await backup.connect();
    await backup.query("SELECT pg_backup_start('standby', true)");
    cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith("postmaster.pid") });
    const { rows } = await backup.query("SELECT labelfile FROM pg_backup_stop(false)");
    await backup.end();
    writeFileSync(join(to, "backup_label"), rows[0].labelfile);
    writeFileSync(join(to, "standby.signal"), "");
    if (process.getuid?.() === 0)
      for (const path of ["", ...(readdirSync(to, { recursive: true }) as string[])])
        chownSync(join(to, path), nobody, nobody);
    await standby.run();
    return standby;
  }

  async stop(): Promise<void> {
    await this.halt("immediate");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #program(name: string): string {
    return join(this.#native, "bin", name);
  }
}

/** The user and group that own nothing. */
const nobody = 65_534;
/** PostgreSQL refuses to run as root. */
const asServer = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** One query on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined); // it fails below, too
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
