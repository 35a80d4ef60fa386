/**
 * The process of one version of the code, started by `dev`: loads it, then serves it until it should stop.
 *
 * It ends with `dev`, however that ended: runs are in the store.
 *
 * @module
 */
import { dirname } from "node:path";
import type { Code } from "../code/load-code.js";
import { loadedFiles } from "../code/load-module.js";
import { cleanText } from "../output/clean.js";
import { describeError } from "../output/cli-error.js";
import { quietSqlite } from "../output/quiet-sqlite.js";
import { Terminal } from "../output/terminal.js";
import { runTests } from "../sources/run-tests.js";
import { stepSources } from "../sources/step-sources.js";
import { logOf } from "../target/open-target.js";
import { projectOf } from "../target/project.js";
import type { ProjectConfig } from "../target/project-config.js";
import { type Listening, listen } from "./listen.js";
import type { FromWorker, ToWorker, WorkerSetup } from "./messages.types.js";
import { NewerCode } from "./newer-code.js";
import { hasStudio, type OpenApp, openApp, servedLines } from "./open-app.js";
import { servedCode } from "./served-code.js";

quietSqlite(process);
const { stdout, stderr, stdin, env } = process;
const drainMs = 2_000;

let setup: WorkerSetup | null = null;
let code: Code | null = null;
let config: ProjectConfig | null = null;
let app: OpenApp | null = null;
let server: Listening | null = null;
const newerCode = new NewerCode();

process.on("disconnect", () => process.exit(1));
// The terminal sends Ctrl-C to the whole process group: `dev` decides.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("message", (message: ToWorker) => {
  handle(message).catch((error: unknown) =>
    send({ type: "failed", files: loadedFiles(), error: describeError(error) }),
  );
});

function send(message: FromWorker): void {
  process.send?.(message);
}

async function handle(message: ToWorker): Promise<void> {
  if (message.type === "load") await load(message.setup);
  else if (message.type === "serve") await serve(message);
  else if (message.type === "outdated") newerCode.failed(message.error);
  else await stop();
}

async function load(given: WorkerSetup): Promise<void> {
  setup = given;
  const served = await servedCode(given.cwd, given.file);
  const { kit, workflows } = served.code;
  // A workflow that is wrong must not take the place of one that runs.
  const trial = kit.runtime.createRuntime({ ...served.config.config.runtime, workflows });
  await trial.stop({ drainMs: 0 });
  ({ code, config } = served);
  send({ type: "loaded", files: loadedFiles(), served: served.path });
}

async function serve({ port, isDefault }: { readonly port: number; readonly isDefault: boolean }): Promise<void> {
  if (setup === null || code === null || config === null) return;
  const { host, token, store, cwd } = setup;
  const terminal = new Terminal({ stdout, stderr, stdin, env, cwd });
  const studio = hasStudio(code);
  const { folder } = projectOf(dirname(code.found[0]?.file ?? cwd));
  const sources = stepSources(code.kit, folder);
  const { bearerAuth } = await code.kit.server();
  const auth = token === null ? {} : { auth: bearerAuth({ tokens: [token] }) };
  const tests = runTests(code.found, folder);
  const shown = { sources, tests, callOverrides: true, ...auth, ...(studio && { studio: true as const }) };
  app = await openApp({ code, config, store, cwd, log: logOf(terminal), server: shown });
  const hasOwnAuth = config.config.server?.auth !== undefined;
  server = await listen({
    // With an `auth` of the project, who may know is not known here.
    fetch: hasOwnAuth ? app.fetch : newerCode.around(app.fetch, token),
    host,
    port,
    isDefault,
    asksToken: token !== null || hasOwnAuth,
  });
  const lines = servedLines(terminal, { code, place: app.place }).map(cleanText);
  send({ type: "serving", urls: server.urls, port: server.port, hasStudio: studio, lines });
}

async function stop(): Promise<void> {
  server?.close();
  send({ type: "closed" });
  await app?.stop(drainMs);
  process.exit(0);
}
