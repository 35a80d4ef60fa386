/**
 * The copy of Millrace that the user's code has loaded.
 *
 * A workflow of one copy does not run in another: what a CommonJS project requires is compiled by tsx into another copy, and a
 * command that was installed for all projects has another one beside it. So the packages are looked for from the
 * user's file first, and in the form in which the file has them.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CliError } from "../output/cli-error.js";

export type Core = typeof import("millrace");

export interface Kit {
  readonly core: Core;
  readonly engine: typeof import("millrace/engine");
  readonly graph: typeof import("millrace/graph");
  readonly runtime: typeof import("millrace/runtime");
  readonly server: () => Promise<typeof import("@millrace/server")>;
  readonly testing: () => Promise<typeof import("@millrace/testing")>;
  readonly sqlite: () => Promise<typeof import("@millrace/sqlite")>;
  readonly postgres: () => Promise<typeof import("@millrace/postgres")>;
}

type Form = "import" | "require";

/** @param from A file of the project, or a folder with a slash at its end. */
export async function openKit(from: string, form: Form): Promise<Kit> {
  const load = (specifier: string): Promise<unknown> => loadPackage(specifier, { from, form });
  const [core, engine, graph, runtime] = await Promise.all(
    ["millrace", "millrace/engine", "millrace/graph", "millrace/runtime"].map(load),
  );
  return {
    core,
    engine,
    graph,
    runtime,
    server: () => load("@millrace/server"),
    testing: () => load("@millrace/testing"),
    sqlite: () => load("@millrace/sqlite"),
    postgres: () => load("@millrace/postgres"),
  } as Kit;
}

/** A Millrace package: that of the project, or the one that this command came with. */
export async function loadPackage(
  specifier: string,
  { from, form = "import" }: { readonly from: string; readonly form?: Form },
): Promise<unknown> {
  for (const base of [from, fileURLToPath(import.meta.url)]) {
    const folder = packageFolder(packageName(specifier), base);
    if (folder === null) continue;
    if (form === "require") return createRequire(base)(specifier);
    return import(pathToFileURL(entryOf(folder, specifier)).href);
  }
  throw new CliError({
    code: "PACKAGE_MISSING",
    message: `The package ${packageName(specifier)} is not installed.`,
    hint: `Install it: \`npm install ${packageName(specifier)}\`.`,
    details: { package: packageName(specifier) },
  });
}

/** Of an import: without what is below it. */
export function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Null where it is not installed. */
export function packageFolder(name: string, base: string): string | null {
  for (const folder of createRequire(base).resolve.paths(name) ?? []) {
    if (existsSync(join(folder, name, "package.json"))) return join(folder, name);
  }
  return null;
}

/** Packages of ours name their entries in one way. */
function entryOf(folder: string, specifier: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  const entry = exports[`.${specifier.slice(packageName(specifier).length)}`];
  return join(folder, entry?.default ?? "index.js");
}

const copyKey: unique symbol = Symbol.for("millrace.copy") as never;

/** Whether that copy has made the workflow. */
export function hasMade({ core }: Kit, workflow: object): boolean {
  const copyOf = (value: object): unknown => (value as { readonly [copyKey]?: unknown })[copyKey];
  return copyOf(workflow) !== undefined && copyOf(workflow) === copyOf(core.Workflow.prototype as object);
}

export function isOfMillrace(value: unknown): value is object {
  return typeof value === "object" && value !== null && copyKey in value;
}
