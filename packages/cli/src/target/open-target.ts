import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import { type Client, type ClientOptions, createClient, type Flows } from "@millrace/client";
import { createOperator } from "@millrace/client/operate";
import type { Workflow, WorkflowError } from "millrace";
import type { Log } from "millrace/engine";
import type { RunStore, Runtime } from "millrace/runtime";
import { fileAndName } from "../code/file-and-name.js";
import { type Code, loadCode } from "../code/load-code.js";
import { existingPath } from "../code/load-module.js";
import { type Kit, openKit } from "../code/user-millrace.js";
import type { MillraceConfig } from "../config/config.types.js";
import { CliError, invalidOption } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import { openStore, type StorePlace } from "./open-store.js";
import { ownRuns } from "./own-runs.js";
import { ensureFolder, fileOfWorkflow, type Project, projectOf, rememberFiles } from "./project.js";
import { configuredCode, placeOf, projectConfig } from "./project-config.js";
import { fromSummary, listOfServer } from "./run-rows.js";
import type { LocalTarget, ServerPlace, Target, TargetOptions } from "./target.types.js";

export interface OpenOptions extends TargetOptions {
  /** The run that the command is about: its workflow leads to the file, where none is given. */
  readonly runId?: string | undefined;
  /** `required`: fails without the code. `known`: loads it if its file is known. `none`: does not load it. @default none */
  readonly code?: "required" | "known" | "none";
  /** Runs continue in this process. @default false */
  readonly executes?: boolean;
  /** Creates the store if there is none. @default false */
  readonly creates?: boolean;
}

/** @throws {CliError} and what a store or the code of the user throws. */
export async function openTarget(terminal: Terminal, options: OpenOptions): Promise<Target> {
  if (options.url === undefined) return openLocal(terminal, options);
  const refused = ["store", "file"].filter((name) => options[name as "store" | "file"] !== undefined);
  if (refused.length === 0) return openServer(terminal, { ...options, url: options.url });
  throw invalidOption(
    `\`--url\` and \`--${refused[0]}\` exclude each other: a server has its own store and code.`,
    `Leave out one of the two.`,
  );
}

/** Does the work of a command on its target. */
export async function withTarget<Result>(
  opening: Promise<Target>,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const target = await opening;
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

/** Of a command that takes no `--url`. */
export function localOf({ local }: Target): LocalTarget {
  return local as LocalTarget;
}

// ---- a server

function openServer(terminal: Terminal, { url, token }: TargetOptions & { readonly url: string }): Target {
  const given = token ?? terminal.env["MILLRACE_TOKEN"];
  const server: ServerPlace = {
    baseUrl: serverUrl(url),
    ...(given !== undefined && { headers: { authorization: `Bearer ${given}` } }),
  };
  const connection = {
    ...server,
    retry: { maxAttempts: 3 },
    timeoutMs: 10_000, // a person waits
  };
  const client = createClient(connection);
  return {
    name: url,
    flags: ["--url", url],
    client,
    server,
    operator: createOperator(connection),
    local: null,
    list: (query) => listOfServer(client, query),
    row: async (runId) => fromSummary(await client.handle(runId).summary()),
    hasWorkflow: async (name) => (await client.workflows()).includes(name),
    close: async () => {},
  };
}

function serverUrl(url: string): string {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  if (/^https?:\/\//i.test(full) && URL.canParse(full)) return full.replace(/(?<!\/)\/+$/, "");
  throw invalidOption(
    `\`--url\` is ${JSON.stringify(url)}, which is not the URL of a server.`,
    "Pass one such as `http://localhost:3000`.",
  );
}

// ---- a store

async function openLocal(terminal: Terminal, options: OpenOptions): Promise<Target> {
  const { cwd } = terminal;
  const { file } = options;
  const { path, isFolder } =
    file === undefined ? { path: cwd, isFolder: true } : existingPath(cwd, fileAndName(cwd, file).file);
  const project = projectOf(isFolder ? path : dirname(path));
  // Before the hooks that compile TypeScript: they would look at every file of these packages.
  const early = await openKit(`${project.folder}/`, "import");
  await Promise.all([early.server(), early.sqlite()]);
  const config = await projectConfig(project);
  const place = placeOf({ store: options.store, project, config, cwd });
  let code: Code | null = null;
  if (options.code !== undefined && options.code !== "none") {
    const known =
      file ??
      (options.runId === undefined
        ? (configuredCode(config) ?? null)
        : await fileOfRun({ ...options, project, place, cwd }));
    if (known !== null) code = await loadCode(cwd, known);
    else if (options.code === "required") throw noCode(options.runId);
  }
  const kit = code?.kit ?? early;
  if (options.creates === true && place.kind === "sqlite" && place.path === project.store) ensureFolder(project);
  const store = await openStore(kit, place, { creates: options.creates ?? false });
  if (code !== null) rememberFiles(project, code.found);
  const { executes = false } = options;
  const local = runtimeOver({ kit, store, code, executes, terminal, config: config.config });
  const flags = options.store === undefined ? [] : ["--store", shownStore(options.store)];
  return localTarget({ ...local, project, place, code }, { kit, flags, cwd, drainMs: executes ? 1_000 : 0 });
}

function nameOf(place: StorePlace, cwd: string): string {
  if (place.kind === "config") return "the store of the config";
  return place.kind === "sqlite" ? relative(cwd, place.path) || place.path : shownStore(place.url);
}

/** The password of a database is not repeated on the screen. */
function shownStore(given: string): string {
  return given.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, "$1:…@");
}

interface RuntimeSetup {
  readonly kit: Kit;
  readonly store: RunStore;
  readonly code: Code | null;
  readonly executes: boolean;
  readonly terminal: Terminal;
  readonly config: MillraceConfig;
}

function runtimeOver(setup: RuntimeSetup): Pick<LocalTarget, "runtime" | "store" | "own"> {
  const { kit, store, code, executes, terminal, config } = setup;
  const own = ownRuns(store);
  const runtime = kit.runtime.createRuntime({
    ...config.runtime,
    workflows: code?.workflows ?? { [noWorkflow]: workflowOf(kit) },
    store: own.store,
    execute: executes,
    log: logOf(terminal),
  }) as unknown as Runtime;
  return { runtime, store, own: own.add };
}

/** A runtime needs a workflow. Runs of other workflows are read as stored. */
const noWorkflow = "(no code is loaded)";

function workflowOf({ core: { defineWorkflow, StartEvent, StopEvent } }: Kit): Workflow {
  const end = (): InstanceType<typeof StopEvent> => new StopEvent({ result: null });
  return defineWorkflow(noWorkflow).step("end", { on: StartEvent, emits: StopEvent }, end).build();
}

export function logOf(terminal: Terminal): Log {
  const print = (message: string, cause?: unknown): void =>
    terminal.note(terminal.paintError("dim", cause === undefined ? message : `${message} ${textOf(cause)}`));
  return { info: () => {}, error: print };
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

interface LocalFacts {
  readonly kit: Kit;
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly drainMs: number;
}

async function localTarget(local: LocalTarget, { kit, flags, cwd, drainMs }: LocalFacts): Promise<Target> {
  const { runtime, place } = local;
  const { createServer } = await kit.server();
  let failure: unknown = null;
  const app = createServer({
    runtime,
    door: "cli",
    log: { info: () => {}, error: (_message, error) => void (failure = error) },
  });
  const baseUrl = "http://millrace.local";
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await app.fetch(new Request(...request));
    return response.status === 500 ? failureAnswer(failure) : response;
  };
  const connection: ClientOptions = { baseUrl, fetch, retry: false, timeoutMs: 2 ** 31 - 1 };
  const client: Client<Flows> = createClient(connection);
  return {
    name: nameOf(place, cwd),
    flags,
    client,
    server: { baseUrl, fetch },
    operator: createOperator({ baseUrl, fetch, retry: false, timeoutMs: 2 ** 31 - 1 }),
    local,
    list: (query) => runtime.runs(query),
    row: (runId) => runtime.handle(runId).summary(),
    hasWorkflow: async (name) => local.code?.workflows[name] !== undefined,
    close: () => runtime.stop({ drainMs }),
  };
}

/** Reports the error itself, because there is no log of a server. */
function failureAnswer(failure: unknown): Response {
  const { code, hint, details } = failure as Partial<WorkflowError>;
  const known = typeof code === "string" && typeof hint === "string" ? { ...details, code, hint } : unexpected;
  return Response.json({ detail: textOf(failure), ...known }, { status: 500 });
}

const unexpected = { code: "INTERNAL", hint: "Try again. If it fails again, report it with this text." };

interface RunPlace extends OpenOptions {
  readonly cwd: string;
  readonly project: Project;
  readonly place: StorePlace;
}

/** Where the workflow of the run was loaded from before. */
async function fileOfRun({ runId, project, place, code, cwd }: RunPlace): Promise<string | null> {
  if (runId === undefined) return null;
  if (place.kind === "sqlite" && !existsSync(place.path)) return null; // opening the store reports that
  const kit = await openKit(`${project.folder}/`, "import");
  const store = await openStore(kit, place, { creates: false });
  try {
    const run = await store.run({ tenant: "", runId });
    if (run === null && code === "required") throw runUnknown(runId, nameOf(place, cwd));
    return run === null ? null : fileOfWorkflow(project, run.workflow);
  } finally {
    await store.close();
  }
}

function runUnknown(runId: string, store: string): CliError {
  return new CliError({
    code: "RUN_UNKNOWN",
    message: `There is no run ${runId} in ${store}.`,
    hint: "`millrace runs` lists those of a store. Name another store with `--store`, or a server with `--url`.",
    details: { runId },
  });
}

function noCode(runId: string | undefined): CliError {
  const what = runId === undefined ? "This command" : `The run ${runId}`;
  return new CliError({
    code: "CODE_REQUIRED",
    message: `${what} needs the file with the workflow.`,
    hint: "Name it with `--file`, or the server that has the run with `--url`.",
  });
}
