/** The project around a file: where its runs are kept by default, and which file has which workflow. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { NamedWorkflow } from "../code/load-code.js";
import { nearest } from "../code/nearest.js";

const folderName = ".millrace";

export interface Project {
  readonly folder: string;
  /** The SQLite file of its runs. */
  readonly store: string;
}

/** @param from A folder: the project is the nearest folder above it with a `package.json`, or that folder itself. */
export function projectOf(from: string): Project {
  const manifest = nearest(from, "package.json");
  const folder = manifest === null ? from : dirname(manifest);
  return { folder, store: join(folder, folderName, "runs.db") };
}

/** Makes the folder, ignored by git. */
export function ensureFolder({ folder }: Project): void {
  const path = join(folder, folderName);
  mkdirSync(path, { recursive: true });
  const ignore = join(path, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
}

/** Remembers where a workflow is, so that a command with the id of a run finds its code. */
export function rememberFiles(project: Project, found: readonly Pick<NamedWorkflow, "name" | "file">[]): void {
  const known = knownFiles(project);
  const named = found.map(({ name, file }) => [name, relative(project.folder, file)] as const);
  const next = { ...known, ...Object.fromEntries(named) };
  if (JSON.stringify(next) === JSON.stringify(known)) return;
  ensureFolder(project);
  writeFileSync(listOf(project), `${JSON.stringify(next, null, 2)}\n`);
}

/** `null` if no file is noted, or it no longer exists. */
export function fileOfWorkflow(project: Project, workflow: string): string | null {
  const file = knownFiles(project)[workflow];
  if (file === undefined) return null;
  const path = resolve(project.folder, file);
  return existsSync(path) ? path : null;
}

const listOf = ({ folder }: Project): string => join(folder, folderName, "workflows.json");

function knownFiles(project: Project): Readonly<Record<string, string>> {
  const path = listOf(project);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, string>>) : {};
}
