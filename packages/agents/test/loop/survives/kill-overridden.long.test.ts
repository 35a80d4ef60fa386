/** Kills the process of a fork whose model is asked with another request: on SQLite. */
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../../../../test-kill.js";
import { startScript } from "../../support/scripts.js";

/** What the model was asked, line by line, when it never answers at one of its calls and the process is killed there. */
async function askedAround(silent: number) {
  const folder = mkdtempSync(join(tmpdir(), "overridden-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const start = (at: string) => startScript("overriding-process.ts", [join(folder, "runs.db"), log, at]);
  const first = start(String(silent));
  await expect.poll(() => lines().length, { timeout: 30_000 }).toBe(silent);
  await killed(first);
  const second = start("never");
  let output = "";
  second.stdout?.on("data", (data: Buffer) => (output += data));
  await once(second, "exit");
  return { lines: lines(), output };
}

it.each([3, 4])("asks as the fork says after a kill, wherever it comes: at request %i", async (silent) => {
  const { lines, output } = await askedAround(silent);

  const run = ["system Be brief., user", "system Be brief., user, assistant, tool"];
  const fork = ["system Be long., user", "system Be long., user, assistant, tool"];
  const again = fork[silent - 3];
  expect(lines).toEqual([...run, ...fork.slice(0, silent - 2), again, ...fork.slice(silent - 2)]);
  expect(output).toContain('"content":"Seen."');
});
