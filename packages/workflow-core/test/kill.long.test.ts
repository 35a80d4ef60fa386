/** A process with durable runs that is killed while a run waits for a person. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../../test-kill.js";

async function startProcess(folder: string): Promise<ChildProcess> {
  const support = join(import.meta.dirname, "support");
  const flags = ["--disable-warning=ExperimentalWarning", "--import", join(support, "source.mjs")];
  const args = [...flags, join(support, "order-process.ts"), join(folder, "runs.db"), join(folder, "log")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  onTestFinished(() => killed(child));
  expect(await messageOf(child)).toBe("ready");
  return child;
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(() => expect.fail("the process has ended"));
  const [message] = (await Promise.race([once(child, "message"), ended])) as [unknown];
  return message;
}

it("the next process continues after kill -9, with the state and without the first handler", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-workflow-core-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const first = await startProcess(folder);
  first.send("begin");
  expect(await messageOf(first)).toBe("waiting");
  await killed(first);

  const second = await startProcess(folder);
  second.send("approve");

  expect(await messageOf(second)).toEqual({ result: "A-17: shipped" });
  expect(readFileSync(join(folder, "log"), "utf8")).toBe("asked for A-17\n");
});
