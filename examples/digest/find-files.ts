/**
 * The files that the user means.
 *
 * @module
 */
import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { UserError } from "./user-error.js";

const textExtensions = new Set([".md", ".markdown", ".txt"]);

/**
 * Files as they are named; folders with all Markdown and text files below them. Sorted, each once.
 *
 * @throws {UserError} when a path does not exist, or a folder holds nothing to read.
 */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(filesAt));
  return [...new Set(found.flat())].sort();
}

async function filesAt(path: string): Promise<string[]> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      `Cannot open "${path}" (${error.code === "ENOENT" ? "no such file or folder" : error.code}). Name a file or folder that exists.`,
    );
  });
  if (!stats.isDirectory()) return [path];
  const files = await textFilesBelow(path);
  if (files.length === 0)
    throw new UserError(
      `"${path}" holds no Markdown or text file (.md, .markdown, .txt). Name another folder, or name files one by one.`,
    );
  return files;
}

async function textFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && textExtensions.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(^|[\\/])(\.[^\\/.]|node_modules[\\/])/.test(file.slice(folder.length)));
}
