/** The workflows of some code over a store, with all runs that are due, as an app to serve. */
import { dirname, relative } from "node:path";
import type { ServerOptions } from "@millrace/server";
import type { Log } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import type { Code } from "../code/load-code.js";
import { packageFolder } from "../code/user-millrace.js";
import type { Terminal } from "../output/terminal.js";
import { openStore, type StorePlace } from "../target/open-store.js";
import { ensureFolder, projectOf, rememberFiles } from "../target/project.js";
import { type ProjectConfig, placeOf } from "../target/project-config.js";
import { gitVersion } from "./git-version.js";

export interface AppOptions {
  readonly code: Code;
  readonly config: ProjectConfig;
  readonly store: string | undefined;
  readonly cwd: string;
  readonly log: Log;
  readonly server: Omit<ServerOptions, "runtime" | "log">;
}

export interface OpenApp {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly place: StorePlace;
  stop(drainMs: number): Promise<void>;
}

export async function openApp({ code, config, store, cwd, log, server }: AppOptions): Promise<OpenApp> {
  const { kit, found, workflows } = code;
  const project = projectOf(dirname(found[0]?.file ?? cwd));
  const place = placeOf({ store, project, config, cwd });
  if (place.kind === "sqlite" && place.path === project.store) ensureFolder(project);
  const opened = await openStore(kit, place, { creates: true });
  rememberFiles(project, found);
  const { runtime: options, schedules = {} } = config.config;
  const version = options?.version ?? (process.env["MILLRACE_VERSION"] || (await gitVersion(project.folder)));
  const runtime = kit.runtime.createRuntime({
    ...options,
    ...(version !== null && { version }),
    workflows,
    store: opened,
    log,
  }) as unknown as Runtime;
  const { createServer } = await kit.server();
  const app = createServer({ runtime, log, ...config.config.server, ...server });
  for (const [name, schedule] of Object.entries(schedules)) await runtime.schedules.set(name, schedule as ScheduleOf);
  await runtime.start();
  return { fetch: (request) => app.fetch(request), place, stop: (drainMs) => runtime.stop({ drainMs }) };
}

/** Whether the studio is beside the server of the project, or beside this command. */
export function hasStudio({ found }: Code): boolean {
  return [found[0]?.file ?? import.meta.filename, import.meta.filename].some(
    (base) => packageFolder("@millrace/studio", base) !== null,
  );
}

type ScheduleOf = Parameters<Runtime["schedules"]["set"]>[1];

interface Served {
  readonly code: { readonly found: readonly { readonly name: string; readonly file: string }[] };
  readonly place: StorePlace;
}

/** The summary for the terminal: each workflow with its file, and where its runs are stored. */
export function servedLines(terminal: Terminal, { code, place }: Served): string[] {
  const width = Math.max(...code.found.map(({ name }) => name.length));
  return [
    ...code.found.map(
      ({ name, file }) => `  ${name.padEnd(width)}  ${terminal.paintError("dim", relative(terminal.cwd, file))}`,
    ),
    `  runs in ${shownPlace(place, terminal.cwd)}`,
  ];
}

function shownPlace(place: StorePlace, cwd: string): string {
  if (place.kind === "config") return "the store of the config";
  return place.kind === "sqlite" ? relative(cwd, place.path) : "PostgreSQL";
}
