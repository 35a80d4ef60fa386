import { listen, portOf } from "../dev/listen.js";
import { hasStudio, openApp, servedLines } from "../dev/open-app.js";
import { servedCode } from "../dev/served-code.js";
import { CliError } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import { logOf } from "../target/open-target.js";
import { untilInterrupted } from "./interrupts.js";

interface ServeOptions {
  readonly file?: string;
  readonly port?: string;
  readonly host: string;
  readonly store?: string;
  readonly token?: string;
  readonly studio?: boolean;
  readonly readOnly?: boolean;
}

const drainMs = 10_000;

/** Serves until it is stopped; the next process that serves the store continues its runs. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  const { host, store, studio = false, readOnly = false } = options;
  const token = options.token ?? terminal.env["MILLRACE_TOKEN"];
  const where = portOf(options.port);
  const { code, config } = await servedCode(terminal.cwd, options.file);
  const hasAuth = token !== undefined || config.config.server?.auth !== undefined;
  if (studio && !hasStudio(code)) throw studioMissing();
  const { bearerAuth } = await code.kit.server();
  const app = await openApp({
    code,
    config,
    store,
    cwd: terminal.cwd,
    log: logOf(terminal),
    server: {
      ...(token !== undefined && { auth: bearerAuth({ tokens: [token] }) }),
      ...(studio && { studio: true }),
      ...(readOnly && { readOnly: true }),
    },
  });
  try {
    const server = await listen({ fetch: app.fetch, host, asksToken: hasAuth, ...where });
    terminal.line(`${server.url}${studio ? "/studio/" : ""}`);
    for (const line of servedLines(terminal, { code, place: app.place })) terminal.note(line);
    if (!hasAuth && !server.isOwn)
      terminal.note("Everyone who reaches this address may do everything: set a `--token`.");
    await untilInterrupted();
    server.close();
  } finally {
    await app.stop(drainMs);
  }
  return 0;
}

function studioMissing(): CliError {
  return new CliError({
    code: "PACKAGE_MISSING",
    message: "The package @millrace/studio is not installed.",
    hint: "Install it: `npm install @millrace/studio`; or leave `--studio` out.",
  });
}
