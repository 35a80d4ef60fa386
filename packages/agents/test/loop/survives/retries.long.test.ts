/** Kills the process of an agent between two attempts of a model call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { chunks, openaiServer, type Reply, status } from "../../support/openai-server.js";

const support = join(import.meta.dirname, "../../support");
const down = status(500, "out of order", { "retry-after-ms": "2000" });
const whole = chunks([{ content: "Here I am." }]);

/** Kills the process after each of the first answers of the model, while the next attempt is not due. */
async function survive(replies: readonly Reply[], kills: number) {
  const folder = mkdtempSync(join(tmpdir(), "retries-"));
  await using server = await openaiServer(replies);
  for (let killed = 0; ; killed++) {
    const flags = ["--disable-warning=ExperimentalWarning", "--import", join(support, "source.mjs")];
    const worker = [join(support, "busy-process.ts"), join(folder, "runs.db"), server.url];
    const child = spawn(process.execPath, [...flags, ...worker], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data));
    const exit = once(child, "exit");
    if (killed < kills) {
      while (child.exitCode === null && !output.includes(`WAITS ${killed + 1}\n`)) await sleep(10);
      child.kill("SIGKILL");
    }
    await exit;
    if (killed < kills) continue;
    rmSync(folder, { recursive: true, force: true });
    return { ...(JSON.parse(output.trim().split("\n").at(-1) ?? "") as object), requests: server.requests.length };
  }
}

it("goes on with the number of the attempt", async () => {
  const seen = await survive([down, down, whole], 2);

  expect(seen).toEqual({ outcome: "Here I am.", attempts: 3, requests: 3 });
});

it("gives up after as many failures as without a kill", async () => {
  const seen = await survive([down, down, down, whole], 2);

  expect(seen).toEqual({
    outcome: 'Agent "Clerk" failed after 3 attempts: out of order (HTTP 500)',
    attempts: 3,
    requests: 3,
  });
});
