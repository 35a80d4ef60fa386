/** What steps have done to the world: lines of a file, see `note`. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "millrace-effects-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Before the flows are imported. */
export const effectsFile: string = join(folder, "effects");
process.env["EFFECTS"] = effectsFile;

/** Those that begin so, in order. */
export function linesOf(begin: string, runId: string): string[] {
  const text = readOr("", effectsFile);
  return text.split("\n").filter((line) => line.startsWith(begin) && line.endsWith(` ${runId}`));
}

function readOr(otherwise: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
