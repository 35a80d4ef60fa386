import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "millrace-pipeline-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
