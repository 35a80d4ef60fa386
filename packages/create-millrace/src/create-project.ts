/** Writes a project: the template, with its name and the version of Millrace. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { PackageManager } from "./package-manager.js";

export interface ProjectOptions {
  /** A folder, which is made. `.` is the one around. */
  readonly target: string;
  readonly cwd: string;
  readonly manager: PackageManager;
  readonly template: string;
}

/** Default name of a folder and of a package. */
export const defaultName = "millrace-app";

const own = join(import.meta.dirname, "..");

/** Default of a project. */
export const defaultTemplate = "workflow";

/** Names of the templates: the folders of `templates`. */
export function templateNames(): string[] {
  return readdirSync(join(own, "templates")).sort();
}

/** What is wrong with the folder, in a sentence; null for nothing. */
export function folderProblem(target: string, cwd: string): string | null {
  const folder = resolve(cwd, target);
  const shown = target === "" ? "." : target;
  try {
    if (existsSync(folder) && readdirSync(folder).some((name) => name !== ".git"))
      return `The folder ${shown} is not empty.`;
    return null;
  } catch (error) {
    return `${shown} cannot be a folder of a project: ${(error as NodeJS.ErrnoException).code}.`;
  }
}

/** Makes the folder. What is wrong with it, in a sentence; null for nothing. */
export function madeFolder(target: string, cwd: string): string | null {
  try {
    mkdirSync(resolve(cwd, target), { recursive: true });
    return null;
  } catch (error) {
    return `The folder ${target} cannot be made: ${(error as NodeJS.ErrnoException).code}.`;
  }
}

/** Fills the folder, and returns it. */
export function createProject({ target, cwd, manager, template }: ProjectOptions): string {
  const folder = resolve(cwd, target);
  cpSync(join(own, "templates", template), folder, { recursive: true });
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore")); // npm takes no `.gitignore` into a package
  const name = packageName(folder);
  writeManifest(join(folder, "package.json"), name);
  for (const page of ["README.md", "AGENTS.md"].map((file) => join(folder, file)).filter(existsSync))
    writeFileSync(page, readFileSync(page, "utf8").replace("{{name}}", name).replaceAll("{{run}}", manager.run));
  return folder;
}

/** Lower case, without what a registry refuses. A folder without any letter that it takes has a package of the usual name. */
function packageName(folder: string): string {
  const name = basename(folder)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
  return name === "" ? defaultName : name;
}

interface Manifest {
  readonly [field: string]: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** All packages of Millrace have one version. */
function writeManifest(path: string, name: string): void {
  const { version } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { readonly version: string };
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const versioned = (list: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(list).map(([of, range]) => [of, range === "" ? `^${version}` : range]));
  const dependencies = versioned(manifest.dependencies);
  const devDependencies = versioned(manifest.devDependencies);
  writeFileSync(path, `${JSON.stringify({ ...manifest, name, dependencies, devDependencies }, null, 2)}\n`);
}
