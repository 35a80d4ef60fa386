/** The limits of a queue hold over processes that are killed, and every run of it comes to its end. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Random } from "@millrace/conformance/soak";
import type { RunStore } from "millrace/runtime";
import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import { Child } from "./child/process.js";
import { openStore, temporaryDirectory } from "./files.js";
import { atOnce, type QueueLog, queue, runsOfQueue } from "./queue-log.js";

const finishMs = 120_000;

async function idsThatEnded(store: RunStore): Promise<string[]> {
  const { runs } = await store.list({ tenant: "", limit: 1_000, queue: "llm", status: ["completed"] });
  return runs.map(({ key }) => key.runId).sort();
}

async function allEnded(store: RunStore): Promise<void> {
  for (const until = Date.now() + finishMs; Date.now() < until; await pause(50))
    if ((await idsThatEnded(store)).length === runsOfQueue.length) return;
}

it("keeps the limits of a queue over two processes that are killed again and again", { timeout: 300_000 }, async () => {
  const directory = temporaryDirectory();
  const [path, log] = [join(directory, "runs.db"), join(directory, "log")];
  const random = new Random(11);
  const kills = casesOf(10);
  const open = (): Child => new Child("queue-worker.ts", [path, log]);
  const children = [open(), open()];
  await Promise.all(children.map((child) => child.line()));

  for (let kill = 0; kill < kills; kill++) {
    await pause(random.between(50, 400));
    const [victim] = children.splice(kill % 2, 1) as [Child];
    appendFileSync(log, `${JSON.stringify({ what: "kill", pid: victim.pid })}\n`);
    await victim.kill();
    children.push(open());
  }
  const store = openStore(path);
  await allEnded(store);

  const lines = readFileSync(log, "utf8").trim().split("\n");
  const found = atOnce(lines.map((line) => JSON.parse(line) as QueueLog));
  expect(await idsThatEnded(store)).toEqual(runsOfQueue.map(({ id }) => id).sort());
  expect(found).toMatchObject({ total: queue.concurrency, ofOneKey: queue.perKey.concurrency });
  expect(found.done).toBe(2 * runsOfQueue.length);
  expect(found.resting).toBeGreaterThan(queue.concurrency);
  expect(
    await store.nextWakeAtMs({ queues: [{ name: "llm", concurrency: null, perKey: null, rate: null }] }),
  ).toBeNull();
});
