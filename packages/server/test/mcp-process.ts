/** Processes with `child/mcp-stateless.ts` over one file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { killed } from "../../../test-kill.js";

export const childFile = (name: string): string => fileURLToPath(new URL(`child/${name}`, import.meta.url));

export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "runs.db");
}

export interface McpProcess {
  readonly url: URL;
  /** As `kill -9`. */
  kill(): Promise<void>;
}

export async function startStateless(file: string): Promise<McpProcess> {
  const args = ["--disable-warning=ExperimentalWarning", "--import", childFile("source.mjs")];
  const child = spawn(process.execPath, [...args, childFile("mcp-stateless.ts"), file], {
    stdio: ["ignore", "pipe", "ignore"], // the runs of the suite fail on purpose
  });
  onTestFinished(() => killed(child));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url: new URL(`http://127.0.0.1:${line.split(" ")[1]}/mcp`), kill: () => killed(child) };
}
