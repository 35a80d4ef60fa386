/** A process that executes nothing (this one), and workers that come and go. */
import { createRuntime, type RuntimeOptions, type Workflows } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { Child } from "./child/process.js";
import { counting, GoOn, LAST, Reached, WAITS_AT } from "./counting.js";
import { openStore, temporaryFile } from "./files.js";

function web(path: string) {
  const log: RuntimeOptions<Workflows>["log"] = { info() {}, error() {} };
  const runtime = createRuntime({ workflows: counting, store: openStore(path), execute: false, log });
  onTestFinished(() => runtime.stop());
  return runtime;
}

async function worker(path: string): Promise<Child> {
  const child = new Child("worker.ts", [path]);
  expect(await child.line()).toBe("ready");
  return child;
}

it("streams a run and gives its result, while its worker is killed and another one comes", async () => {
  const path = temporaryFile();
  const runtime = web(path);
  const run = runtime.run("count", {}, { runId: "one" });
  await run.accepted;
  const first = await worker(path);
  const pids = new Set<number>();
  const numbers: number[] = [];
  const sequences: number[] = [];
  for await (const { sequence, event } of run.streamEvents()) {
    sequences.push(sequence);
    if (!(event instanceof Reached)) continue;
    pids.add(event.pid);
    if (numbers.at(-1) !== event.number) numbers.push(event.number); // a step that starts over shows it again
    if (event.number !== WAITS_AT || pids.size > 1) continue;
    await first.kill();
    await worker(path);
    expect((await run.sendEvent(new GoOn({}))).status).toBe("accepted");
  }

  expect(await run).toBe(LAST);
  expect(numbers).toEqual(Array.from({ length: LAST }, (_, index) => index + 1));
  expect(sequences).toEqual(sequences.map((_, index) => index));
  expect(pids.size).toBe(2);
  expect(pids).not.toContain(process.pid);
});

it("cancels and resumes a run of a worker, also after it was killed", async () => {
  const path = temporaryFile();
  const runtime = web(path);
  const first = await worker(path);
  const run = runtime.run("count", {}, { runId: "one" });
  expect(await run.idle()).toMatchObject({ status: "waiting" });
  expect((await run.cancel("enough")).status).toBe("accepted");
  await first.kill();

  const resumed = runtime.resume("one");
  await worker(path);
  await resumed.accepted;
  expect((await resumed.sendEvent(new GoOn({}))).status).toBe("accepted");
  expect(await resumed).toBe(LAST);
});

it("resumes a run once for each request, whenever its workers are killed", async () => {
  const path = temporaryFile();
  const runtime = web(path);
  let present = await worker(path);
  await runtime.run("count", {}, { runId: "one" }).idle();
  for (let round = 0; round < 6; round++) {
    expect((await runtime.handle("one").cancel("", { key: `cancel ${round}` })).status).toBe("accepted");
    const asked = [1, 2, 3].map(() => runtime.resume("one", { key: `resume ${round}` }).accepted);
    await new Promise((resolve) => setTimeout(resolve, 4 * round)); // before, in and after the commit
    await present.kill();
    present = await worker(path);
    await Promise.all(asked);
  }
  await runtime.handle("one").sendEvent(new GoOn({}));

  expect(await runtime.handle("one")).toBe(LAST);
  const types: string[] = [];
  for await (const { tick } of runtime.history("one")) types.push(tick.type);
  expect(types.filter((type) => type === "run.cancelled")).toHaveLength(6);
  // Each new owner resumes it, too, if it goes on by then.
  expect(types.filter((type) => type === "run.resumed").length).toBeLessThanOrEqual(12);
  for (let at = types.indexOf("run.cancelled"); at >= 0; at = types.indexOf("run.cancelled", at + 1))
    expect(types[at + 1]).toBe("run.resumed");
});

it("sets a schedule that many workers serve: each occurrence has one run", async () => {
  const path = temporaryFile();
  const runtime = web(path);
  const [first] = await Promise.all([worker(path), worker(path), worker(path)]);
  const fromMs = Date.now();
  await runtime.schedules.set("often", { cron: "* * * * * *", workflow: "at", overlap: "allow", catchUp: "all" });
  const times = await runtime.schedules.next("often", 4);
  await until(times[1]);
  await first.kill();
  await until(times[3]);
  await runtime.schedules.delete("often");

  const results = times.map((date) => runtime.handle(`often@${date.toISOString()}`));
  expect(await Promise.all(results)).toEqual(times.map(() => "there"));
  const { runs } = await runtime.runs({ labels: { schedule: "often" } });
  expect(runs.length).toBeLessThanOrEqual(Math.ceil((Date.now() - fromMs) / 1_000));

  async function until(date: Date | undefined): Promise<void> {
    await expect
      .poll(async () => (await runtime.schedules.get("often"))?.last?.atMs ?? 0, { interval: 20 })
      .toBeGreaterThanOrEqual(date?.getTime() ?? 0);
  }
});
