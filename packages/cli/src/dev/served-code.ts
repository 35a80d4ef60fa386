/** What `dev` and `serve` serve: the file or folder that was named, the one of the config, or a usual folder. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileAndName } from "../code/file-and-name.js";
import { type Code, loadCode } from "../code/load-code.js";
import { existingPath } from "../code/load-module.js";
import { projectOf } from "../target/project.js";
import { configuredCode, type ProjectConfig, projectConfig } from "../target/project-config.js";

export interface ServedCode {
  readonly code: Code;
  readonly config: ProjectConfig;
  /** Of the file or folder. */
  readonly path: string;
}

/** @throws {CliError} what `loadCode` and `projectConfig` throw. */
export async function servedCode(cwd: string, file: string | undefined): Promise<ServedCode> {
  const config = await projectConfig(projectOf(file === undefined ? cwd : folderOf(cwd, file)));
  const served = file ?? configuredCode(config) ?? usualFolder(cwd);
  return { config, code: await loadCode(cwd, served), path: existingPath(cwd, fileAndName(cwd, served).file).path };
}

function folderOf(cwd: string, given: string): string {
  const { path, isFolder } = existingPath(cwd, fileAndName(cwd, given).file);
  return isFolder ? path : dirname(path);
}

/** Where projects have their workflows. */
export function usualFolder(cwd: string): string {
  return ["src/workflows", "workflows", "src"].find((folder) => existsSync(join(cwd, folder))) ?? ".";
}
