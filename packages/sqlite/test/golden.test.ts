/** Files that earlier trees wrote are opened by this one, and their runs go on to the same end. For ever. */
import { readdirSync, readFileSync } from "node:fs";
import { createRuntime, type RunHandle, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, temporaryFile } from "./files.js";
import { failing, kept } from "./golden/flow.js";
import { answerAll, JumpClock, lengthened, startMs } from "./golden/play.js";
import { writeSqlText } from "./sql-text.js";

const golden = new URL("./golden/", import.meta.url);
const versions = readdirSync(golden, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const left = versions.flatMap((version) =>
  readdirSync(new URL(`${version}/`, golden))
    .filter((name) => name.startsWith("left-at"))
    .map((name) => `${version}/${name}`),
);

/** After every lease has run out. */
const laterMs = startMs + 24 * 3_600_000;

const result = [
  [0, 2, 104, 6],
  "said to run",
  "said to child 1",
  ["part 0: 72000", "part 1: 6", "part 2: 6", "part 3: 6"],
  ["split"],
  86_400_000,
  [0, 2, 104, 6],
  1,
];

function open(name: string): { readonly runtime: Runtime; readonly clock: JumpClock } {
  const path = temporaryFile();
  writeSqlText(path, lengthened(readFileSync(new URL(name, golden), "utf8")));
  const clock = new JumpClock(laterMs);
  const log = { info() {}, error() {} };
  const runtime = createRuntime({ workflows: { kept, failing }, store: openStore(path), clock, log }) as Runtime;
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  return { runtime, clock };
}

async function shownBy(run: RunHandle): Promise<string[]> {
  const shown: string[] = [];
  for await (const { event } of run.streamEvents()) shown.push(event.type);
  return shown.sort();
}

const allShown = ["Ask", "Ask", "Shown", "Shown", "Shown", "Shown", "Shown", "StepRestartedEvent", "StopEvent"];

it("there are files of a process that was killed at ten moments", () => {
  expect(left.filter((name) => name.startsWith("v1/"))).toHaveLength(10);
});

describe.each(left)("the file %s", (name) => {
  it("has a run that goes on to the same end", async () => {
    const { runtime, clock } = open(name);
    await runtime.start();

    expect(await answerAll(runtime.handle("left"), clock)).toMatchObject({ status: "completed", result });
  });

  it("has a run whose every tick is read, and whose last is where a fork goes on", async () => {
    const { runtime, clock } = open(name);
    const { ticks } = await runtime.handle("left").summary();
    let read = 0;
    for await (const _ of runtime.history("left")) read++;

    expect(read).toBe(ticks);
    if (ticks === 0) return;
    expect(await answerAll(runtime.fork("left", { at: ticks }), clock)).toMatchObject({ status: "completed", result });
  });
});

describe.each(versions)("the runs of %s that have ended", (version) => {
  const name = `${version}/ended.sql`;

  it("say how, and what they have shown", async () => {
    const { runtime } = open(name);

    expect(await runtime.handle("completed").outcome()).toMatchObject({ status: "completed", result });
    expect(await runtime.handle("failed").outcome()).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("It never works.") },
    });
    expect(await runtime.handle("cancelled").outcome()).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(await shownBy(runtime.handle("completed"))).toEqual(allShown);
  });

  it("are forked from any tick and end the same", async () => {
    const { runtime, clock } = open(name);
    const { ticks } = await runtime.handle("completed").summary();
    const outcomes: unknown[] = [];
    for (let at = 1; at < ticks; at += 6) outcomes.push(await answerAll(runtime.fork("completed", { at }), clock));

    expect(outcomes.length).toBeGreaterThan(5);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "completed", result });
  });

  it("go on after they were cancelled, and run again after they failed", async () => {
    const { runtime, clock } = open(name);

    expect(await answerAll(runtime.resume("cancelled"), clock)).toMatchObject({ status: "completed", result });
    expect(await answerAll(runtime.retry("failed"), clock)).toMatchObject({ status: "failed" });
    expect(await runtime.handle("failed").snapshot()).toMatchObject({ store: { json: { edits: 1 } } });
  });
});
