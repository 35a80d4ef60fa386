/** Real processes, killed with the signal that cannot be caught. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { signalsAt } from "../test/signals-at.js";
import { temporaryFolder } from "../test/temporary-folder.js";

const program = fileURLToPath(new URL("main.ts", import.meta.url));

interface Printed {
  readonly text: string;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Without a terminal.
 *
 * @param killAt the line at which the process is killed: by itself, as a kill from here may come when it has gone on for long
 */
function start(folder: string, killAt?: RegExp): Promise<Printed> {
  const killer = killAt === undefined ? [] : ["--import", signalsAt(killAt, "SIGKILL")];
  const args = [...killer, "--import", import.meta.resolve("tsx"), program, folder];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve) => {
    child.once("close", (_code, signal) => resolve({ text, signal }));
  });
}

const said = ({ text }: Printed, pattern: RegExp) => (pattern.exec(text) ?? []).slice(1);
const filesOf = ({ text }: Printed) => [...text.matchAll(/^\d+ {2}(.*)$/gm)].map(([, file]) => file);

/** The files that the lines of the result are about. */
async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, "utf8"))
    .trim()
    .split("\n")
    .map((line) => line.replace(/:.*/, ""));
}

describe("durable", () => {
  it("goes on after kill -9 where it was, while it works and while it sleeps, and does nothing twice", async () => {
    const folder = temporaryFolder("durable-");

    const first = await start(folder, /^5 {2}/m);
    const second = await start(folder, /sleeps until/);
    const third = await start(folder);

    const [runId, count] = said(first, /^run (\S+) begins: (\d+) files$/m);
    const [foundSecond, done] = said(second, /^run (\S+): (\d+) of \d+ files were done$/m);
    const [foundThird, doneAll] = said(third, /^run (\S+): (\d+) of \d+ files were done$/m);
    // What is stored may be shown by no process: one is killed before it prints it, and the next begins behind it.
    const files = await linesOf(join(folder, "summaries.txt"));
    expect([first.signal, second.signal, third.signal]).toEqual(["SIGKILL", "SIGKILL", null]);
    expect([foundSecond, foundThird, doneAll]).toEqual([runId, runId, count]);
    expect(Number(done)).toBeGreaterThanOrEqual(5);
    expect(filesOf(first)).toEqual(files.slice(0, filesOf(first).length));
    expect(filesOf(second)).toEqual(files.slice(Number(done)).slice(0, filesOf(second).length));
    expect(filesOf(third)).toEqual([]);
    expect([files.length, new Set(files).size]).toEqual([Number(count), Number(count)]);
    expect(third.text).toContain(
      `Keep the ${count} lines? [Y/n] (no terminal: yes)\n${count} lines are in ${join(folder, "summaries.txt")}\n`,
    );
  });
});
