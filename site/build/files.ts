/** Which files of the repository are pages of the site, and where they are on it. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** The folder of the repository. */
export const root = join(import.meta.dirname, "..", "..");
/** What VitePress builds: written anew by each build, never committed. */
export const pagesFolder = join(import.meta.dirname, "..", ".pages");

const skipped = new Set(["node_modules", "dist", "templates", "golden", ".reports", "projects"]);

/** All files below a folder, as paths from the root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    return [path];
  });
}

export const isFile = (path: string): boolean => existsSync(join(root, path)) && statSync(join(root, path)).isFile();
export const isFolder = (path: string): boolean =>
  existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();

/** The documents of the repository, as paths from its root. */
export function documents(): string[] {
  const found = ["docs", "packages", "examples"].flatMap(filesBelow);
  const isDocument = (path: string) => path.startsWith("docs/") || /\/(README|THIRD-PARTY)\.md$/.test(path);
  return [
    "README.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "SECURITY.md",
    ...found.filter((path) => /\.md$/.test(path) && isDocument(path)),
  ];
}

/** Where a document is below `.pages`: `docs/` is the top of the site, and the README of a folder is its index. */
export function pageOf(path: string): string {
  if (path === "docs/README.md") return "docs.md";
  // Not at the top: files that differ in upper case only overwrite each other, and there is a docs/security.md.
  if (/^[A-Z]+\.md$/.test(path) && path !== "README.md") return `project/${path.toLowerCase()}`;
  return path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Where the text of a source file is, or the list of a folder. */
export const sourceOf = (path: string): string => `source/${path}.txt`;
