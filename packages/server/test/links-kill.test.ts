/** Signed links outlive the process that has made them: killed with SIGKILL, over a file. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../../test-kill.js";
import { freePort } from "../../../test-ports.js";

const child = (name: string): string => fileURLToPath(new URL(`child/${name}`, import.meta.url));

async function start(
  file: string,
  port: number,
): Promise<{ readonly process: ChildProcess; readonly lines: string[] }> {
  const flags = ["--disable-warning=ExperimentalWarning", "--import", child("source.mjs")];
  const started = spawn(process.execPath, [...flags, child("links.ts"), file, String(port)]);
  onTestFinished(() => killed(started));
  const lines: string[] = [];
  started.stderr.on("data", (data: Buffer) => lines.push(String(data)));
  createInterface({ input: started.stdout }).on("line", (line) => lines.push(line));
  await expect.poll(() => lines, { timeout: 20_000 }).toContain("ready");
  return { process: started, lines };
}

it("a webhook comes after a kill, and counts once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-links-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [file, port] = [join(folder, "runs.db"), await freePort()];
  const first = await start(file, port);
  await expect.poll(() => first.lines.find((line) => line.startsWith("mailed "))).toBeDefined();
  const url = first.lines.find((line) => line.startsWith("mailed "))?.slice(7) ?? "";
  await killed(first.process);
  const second = await start(file, port);
  const send = (status: string) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ status }) });
  const answers = await Promise.all([send("paid"), send("failed"), send("paid")]);
  const record = await fetch(`http://127.0.0.1:${port}/handlers/r?wait=10000`);
  const { result } = (await record.json()) as { readonly result: { readonly value: { readonly result: unknown } } };
  const counted = answers[0]?.status === 200 ? "paid" : "failed";

  expect(answers.map(({ status }) => status).toSorted()).toEqual(
    counted === "paid" ? [200, 200, 409] : [200, 409, 409],
  );
  expect(JSON.stringify(result)).toContain(counted);
  expect(second.lines.filter((line) => line.startsWith("mailed "))).toEqual([]);
});
