/** Places in the code of the user. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { nearest } from "./nearest.js";

/** Line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The first frame of the stack that is the user's. Those of functions that compilers add, such as `__decorateElement`, are not. */
export function placeOf(error: unknown): Place | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames =
    /^ +at (?!__)(?:async )?(?:[^/\\]*\()?((?:file:\/\/)?(?:\/|[A-Za-z]:\\).*?)(?:\?[^:()]*)?:(\d+):(\d+)\)?$/gm;
  for (const [, file = "", line, column] of stack.matchAll(frames)) {
    const path = file.startsWith("file:") ? fileURLToPath(file) : file;
    if (/[\\/]node_modules[\\/]/.test(path) || isOwnFile(path)) continue;
    return { file: path, line: Number(line), column: Number(column) };
  }
  return null;
}

/** A file of Millrace that is not below `node_modules`: of this command, or of a linked package. */
function isOwnFile(path: string): boolean {
  if (path.startsWith(import.meta.dirname)) return true;
  const manifest = nearest(dirname(path), "package.json");
  if (manifest === null) return false;
  const { name = "" } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly name?: string };
  return name === "millrace" || name.startsWith("@millrace/");
}

/** The line with the two around it, and a caret below the place. */
export function frameOf({ file, line, column }: Place): string {
  if (!existsSync(resolve(file))) return "";
  const lines = readFileSync(file, "utf8").split("\n");
  const from = Math.max(1, line - 2);
  const shownLines = lines.slice(from - 1, line + 1).map((text, index) => {
    const number = from + index;
    const row = `${number === line ? ">" : " "} ${String(number).padStart(4)} | ${text}`;
    return number === line ? `${row}\n       | ${" ".repeat(column - 1)}^` : row;
  });
  return shownLines.join("\n");
}

/** Relative to the working folder where that is shorter. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith("..") ? path : near;
}
