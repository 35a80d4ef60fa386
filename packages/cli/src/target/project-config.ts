/** The `millrace.config.ts` of a project. */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { loadModule } from "../code/load-module.js";
import type { MillraceConfig } from "../config/config.types.js";
import { invalidOption } from "../output/cli-error.js";
import { type StorePlace, storePlace } from "./open-store.js";
import type { Project } from "./project.js";

export interface ProjectConfig {
  /** `null`: the project has none. */
  readonly file: string | null;
  readonly config: MillraceConfig;
}

const fileNames = ["ts", "mts", "js", "mjs", "cts", "cjs"].map((ending) => `millrace.config.${ending}`);
const names: readonly (keyof MillraceConfig)[] = ["workflows", "store", "runtime", "schedules", "server"];

/** @throws {CliError} `OPTION_INVALID`; `SYNTAX_INVALID` and `CODE_FAILED` as for any file. */
export async function projectConfig({ folder }: Project): Promise<ProjectConfig> {
  const file = fileNames.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined) return { file: null, config: {} };
  const exported = await loadModule(file);
  // `module.exports = { … }` has no default; a promise of a config would pass as an empty one.
  const config: unknown = await ("default" in exported ? exported["default"] : exported);
  const problems = problemsOf(config);
  if (problems.length === 0) return { file, config: config as MillraceConfig };
  throw invalidOption(
    `${basename(file)}: ${problems.join("; ")}.`,
    `Export \`defineConfig({ … })\` of @millrace/cli by default, with some of: ${names.join(", ")}.`,
    { file, problems },
  );
}

function problemsOf(config: unknown): string[] {
  if (typeof config !== "object" || config === null) return ["it has no default export that is an object"];
  const { workflows, store } = config as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(config).filter((name) => !(names as readonly string[]).includes(name));
  return [
    ...unknown.map((name) => `\`${name}\` is not an option`),
    ...(["undefined", "string"].includes(typeof workflows) ? [] : ["`workflows` is not a path"]),
    ...(["undefined", "string", "function"].includes(typeof store)
      ? []
      : ["`store` is not a file, a URL or a function that opens a store"]),
    ...(["runtime", "schedules", "server"] as const)
      .filter((name) => !isOptions((config as MillraceConfig)[name]))
      .map((name) => `\`${name}\` is not an object`),
  ];
}

const isOptions = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));

interface Given {
  /** `--store` */
  readonly store: string | undefined;
  readonly project: Project;
  readonly config: ProjectConfig;
  readonly cwd: string;
}

/** The store of the option, of the config, or of the project. */
export function placeOf({ store, project, config: { file, config }, cwd }: Given): StorePlace {
  if (store !== undefined) return storePlace(store, cwd);
  if (typeof config.store === "function") return { kind: "config", open: config.store };
  return storePlace(config.store ?? project.store, file === null ? cwd : dirname(file));
}

/** The file or folder with the workflows that the config names. */
export function configuredCode({ file, config }: ProjectConfig): string | undefined {
  return file === null || config.workflows === undefined ? undefined : resolve(dirname(file), config.workflows);
}
