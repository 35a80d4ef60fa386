import { existsSync } from "node:fs";
import { resolve } from "node:path";

export interface FileAndName {
  readonly file: string;
  /** Undefined: all of its workflows. */
  readonly name: string | undefined;
}

/** Splits `file#name`. The name of a file may have a `#`, too. */
export function fileAndName(cwd: string, given: string): FileAndName {
  const at = given.lastIndexOf("#");
  const isWhole = at <= 0 || at === given.length - 1 || /[/\\]/.test(given.slice(at));
  if (isWhole || existsSync(resolve(cwd, given))) return { file: given, name: undefined };
  return { file: given.slice(0, at), name: given.slice(at + 1) };
}
