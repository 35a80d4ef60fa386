import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The path of a file that is deleted when this process ends: a database of an example. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}
