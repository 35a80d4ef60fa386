/**
 * The files of the built page. They are listed once, and only what is in that list is ever read: no path leads out of it.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the studio. */
export interface StudioFile {
  readonly body: Uint8Array;
  /** Its media type, for `content-type`. */
  readonly type: string;
  /** `true` if its name changes with its content, so that it may be cached for ever. */
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const folder: string = fileURLToPath(new URL("./app/", import.meta.url));
let listed: Promise<ReadonlyMap<string, string>> | null = null;

/** Finds a file of the studio by its path, such as `"index.html"`; `null` if there is none. */
export async function studioFile(path: string): Promise<StudioFile | null> {
  listed ??= list();
  const file = (await listed).get(path);
  if (file === undefined) return null;
  return {
    body: await readFile(file),
    type: types[extname(file)] ?? "application/octet-stream",
    isHashed: path.startsWith("assets/"),
  };
}

async function list(): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(folder, file).split(sep).join("/"), file]));
}
