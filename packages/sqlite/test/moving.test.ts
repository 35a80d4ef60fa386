/** Runs that move from file to file by a process that is killed at any moment: each is in one place at the end, once. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Random } from "@millrace/conformance/soak";
import { createRuntime, type Runtime } from "millrace/runtime";
import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import { Child } from "./child/process.js";
import { openStore, temporaryDirectory } from "./files.js";
import { asking, movedRuns, Said } from "./moved-runs.js";

const open = (path: string): Runtime =>
  createRuntime({ workflows: { asking }, store: openStore(path), idleReleaseMs: 0 }) as never;

async function idsIn(runtime: Runtime): Promise<string[]> {
  const { runs } = await runtime.runs({ limit: 1_000 });
  return runs.map(({ runId }) => runId).sort();
}

it("has each run in one of two files, whatever moment the mover is killed at", { timeout: 300_000 }, async () => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "from.db"), join(directory, "to.db")];
  const first = open(from);
  for (const runId of movedRuns) {
    const handle = first.run("asking", {}, { runId, labels: { id: runId } });
    await handle.accepted;
    await handle.idle();
  }
  await first.stop();
  const random = new Random(7);

  for (let kill = 0; kill < casesOf(20); kill++) {
    const mover = new Child("mover.ts", [from, to]);
    await Promise.race([mover.line(), pause(2_000)]);
    await pause(random.between(0, 60));
    await mover.kill();
  }
  await new Child("mover.ts", [from, to]).rest();
  const [source, target] = [open(from), open(to)];

  expect(await idsIn(source)).toEqual([]);
  expect(await idsIn(target)).toEqual([...movedRuns].sort());
  for (const runId of movedRuns) await target.handle(runId).sendEvent(new Said({ text: runId }), { key: "said" });
  expect(await Promise.all(movedRuns.map((runId) => target.handle(runId)))).toEqual(movedRuns);
  await Promise.all([source.stop(), target.stop()]);
});

it("keeps a run sealed whose exporting process is dead", { timeout: 60_000 }, async () => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "from.db"), join(directory, "to.db")];
  const first = open(from);
  const [runId] = movedRuns as [string];
  await first.run("asking", {}, { runId, labels: { id: runId } }).idle();
  await first.stop();
  const mover = new Child("mover.ts", [from, to, "stops"]);
  expect(await mover.line()).toBe("sealed");
  await mover.kill();

  const source = open(from);
  const told = source.handle(runId).sendEvent(new Said({ text: "here" }), { key: "said" });

  await expect(told).rejects.toMatchObject({ code: "RUN_MOVED" });
  expect(await source.start()).toBe(0);
  await source.release(runId);
  await source.handle(runId).sendEvent(new Said({ text: "here" }), { key: "said" });
  expect(await source.handle(runId)).toBe("here");
  await source.stop();
});
