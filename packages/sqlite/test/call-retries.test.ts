/** Attempts of a call go on over a kill -9: their number, the time of the next one, and what they have done. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it } from "vitest";
import { Child } from "./child/process.js";
import { openStore, temporaryDirectory } from "./files.js";

const timeout = 60_000;
const expected = { attempt: 3, edits: 1, came: ["edit", "call"] };

function place() {
  const directory = temporaryDirectory();
  const [path, log] = [join(directory, "runs.db"), join(directory, "log")];
  return { path, log, lines: () => readFileSync(log, "utf8").trim().split("\n") };
}

it("a call that was at work is made again as its next attempt, with the same key", { timeout }, async () => {
  const { path, log, lines } = place();
  const first = new Child("retry-worker.ts", [path, log, "hold", "50"]);
  expect([await first.line(), await first.line()]).toEqual(["started", "second"]);
  await first.kill();
  const second = new Child("retry-worker.ts", [path, log, "hold", "50"]);
  expect(await second.line()).toBe("started");

  expect(JSON.parse(await second.line())).toEqual(expected);
  expect(lines()).toEqual(["1 1:charge", "2 1:charge", "3 1:charge"]);
});

it("an attempt that kills its own process is counted", { timeout }, async () => {
  const { path, log, lines } = place();
  const first = new Child("retry-worker.ts", [path, log, "poison", "50"]);
  expect(await first.line()).toBe("started");
  await first.rest();
  const second = new Child("retry-worker.ts", [path, log, "poison", "50"]);
  expect(await second.line()).toBe("started");

  expect(JSON.parse(await second.line())).toEqual(expected);
  expect(lines()).toEqual(["1 1:charge", "2 1:charge", "3 1:charge"]);
});

it("a call that waits for its next attempt begins it at its time", { timeout }, async () => {
  const { path, log, lines } = place();
  const first = new Child("retry-worker.ts", [path, log, "poison", "1500"]);
  expect(await first.line()).toBe("started");
  await expect.poll(lines, { timeout: 10_000 }).toEqual(["1 1:charge"]);
  await expect.poll(() => failures(path), { timeout: 10_000 }).toHaveLength(1);
  await first.kill();
  const second = new Child("retry-worker.ts", [path, log, "poison", "1500"]);
  await second.rest();
  const opened = await openings(path);
  const [failure] = await failures(path);

  expect(lines()).toEqual(["1 1:charge", "2 1:charge"]);
  expect(opened[1]?.atMs).toBeGreaterThanOrEqual(failure?.retryAtMs ?? Number.POSITIVE_INFINITY);
});

const other = defineWorkflow("other")
  .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
  .build();

/** Read without the workflow, as a tool does. */
async function history(path: string): Promise<StoredTick[]> {
  const runtime = createRuntime({ workflows: { other }, store: openStore(path), execute: false });
  try {
    const ticks: StoredTick[] = [];
    for await (const { tick } of runtime.history("one", { raw: true })) ticks.push(tick);
    return ticks;
  } finally {
    await runtime.stop();
  }
}
interface StoredTick {
  readonly type: string;
  readonly atMs: number;
  readonly retryAtMs?: number;
}

const failures = async (path: string) => (await history(path)).filter(({ type }) => type === "effect.failed");
const openings = async (path: string) => (await history(path)).filter(({ type }) => type === "effect.opened");
