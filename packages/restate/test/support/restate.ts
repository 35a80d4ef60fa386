/** A Restate server of its own for one test file, on free ports and with a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../../test-ports.js";
import { restateServer } from "../server/install.mjs";

export interface Restate extends AsyncDisposable {
  readonly ingress: string;
  readonly admin: string;
  /** Tells it of an endpoint, in the place of the one that it has of that address. */
  register(uri: string, options?: { readonly useHttp11?: boolean }): Promise<void>;
  sql<Row = Record<string, unknown>>(query: string): Promise<Row[]>;
  /** `cancel` or `kill`, as an operator does it. */
  stop(how: "cancel" | "kill", invocation: string): Promise<void>;
  /** Kills the server, and starts it again with what it has kept. */
  restart(): Promise<void>;
}

export interface RestateOptions {
  /** Longest wait before an invocation is tried again whose endpoint is down. @default it grows to a minute */
  readonly retryAfterMs?: number;
}

export async function startRestate({ retryAfterMs }: RestateOptions = {}): Promise<Restate> {
  const program = restateServer();
  const folder = mkdtempSync(join(tmpdir(), "millrace-restate-"));
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    RESTATE_BASE_DIR: folder,
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_INGRESS__BIND_PORT: String(ingressPort),
    RESTATE_ADMIN__BIND_PORT: String(adminPort),
    RESTATE_BIND_PORT: String(nodePort),
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_DEFAULT_NUM_PARTITIONS: "4",
    RESTATE_LOG_FORMAT: "compact",
    RUST_LOG: "error",
    ...(retryAfterMs !== undefined && {
      RESTATE_DEFAULT_RETRY_POLICY__INITIAL_INTERVAL: "50ms",
      RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL: `${retryAfterMs}ms`,
    }),
  };
  const [ingress, admin] = [ingressPort, adminPort].map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const launch = async (): Promise<ChildProcess> => {
    const launched = spawn(program, ["--no-logo"], { env, stdio: ["ignore", "ignore", "pipe"] });
    const killWithUs = (): void => void launched.kill("SIGKILL");
    process.once("exit", killWithUs);
    launched.once("exit", () => process.off("exit", killWithUs));
    let log = "";
    launched.stderr?.on("data", (data: Buffer) => {
      log = (log + data.toString()).slice(-10_000);
    });
    await whenUp(launched, `${admin}/health`, () => log);
    await whenUp(launched, `${ingress}/restate/health`, () => log);
    return launched;
  };
  let server = await launch();
  const kill = async (): Promise<void> => {
    const gone = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await gone;
  };
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(admin + path, {
      ...init,
      headers: { "content-type": "application/json", accept: "application/json" },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    ingress,
    admin,
    async register(uri, { useHttp11 = false } = {}) {
      const body = JSON.stringify({ uri, force: true, use_http_11: useHttp11 });
      await ask("/deployments", { method: "POST", body });
    },
    async sql<Row>(query: string) {
      const response = await ask("/query", { method: "POST", body: JSON.stringify({ query }) });
      return ((await response.json()) as { readonly rows: Row[] }).rows;
    },
    async stop(how, invocation) {
      await ask(`/invocations/${invocation}/${how}`, { method: "PATCH" });
    },
    async restart() {
      await kill();
      server = await launch();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function whenUp(server: ChildProcess, url: string, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null) throw new Error(`Restate has ended: ${log()}`);
    const response = await fetch(url).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Restate does not answer: ${log()}`);
}
