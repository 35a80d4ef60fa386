/** Every flow in a runtime: as in memory, with every wait through the store, and with the process killed at every commit. */

import { describe, expect, it } from "vitest";
import { isTried } from "../../../../test-share.js";
import { memoryStore } from "../../src/entries/runtime.js";
import { type Ending, record } from "../support/drive.js";
import { type Flow, flows } from "../support/flows.js";
import { driveHandle, Mortal, runtimeOf, TurnClock } from "../support/runtimes.js";

const HOUR = 3_600_000;

interface Ended {
  readonly ending: Ending;
  readonly commits: number;
  readonly shown: readonly string[];
}

async function run(flow: Flow, options: object = {}): Promise<Ended> {
  const clock = new TurnClock();
  const mortal = new Mortal(memoryStore());
  const runtime = runtimeOf(flow, mortal.store, { clock, ...options });
  const handle = runtime.run("flow", (flow.input ?? {}) as never, { runId: "run" });
  const ending = await driveHandle(flow, handle, clock);
  const shown = ending.status === "waiting" ? [] : await handle.streamEvents().toArray();
  await runtime.stop({ drainMs: 0 });
  return { ending, commits: mortal.commits, shown: shown.map(({ event }) => event.type) };
}

/** Dies with its `diesAt`-th commit; another process goes on. */
async function runKilled(
  flow: Flow,
  diesAt: number,
): Promise<{ readonly ending: Ending; readonly sequences: number[] }> {
  const clock = new TurnClock();
  const store = memoryStore();
  const first = new Mortal(store, diesAt);
  const dying = runtimeOf(flow, first.store, { clock, snapshotEvery: 3 });
  const lost = dying.run("flow", (flow.input ?? {}) as never, { runId: "run" });
  await Promise.race([first.death, driveHandle(flow, lost, clock).catch(() => {})]);
  first.kill();

  const next = runtimeOf(flow, new Mortal(store, Number.POSITIVE_INFINITY, HOUR).store, { clock, snapshotEvery: 3 });
  await next.start();
  const handle = next.handle("run");
  const ending = await driveHandle(flow, handle, clock);
  const shown = ending.status === "waiting" ? [] : await handle.streamEvents().toArray();
  await next.stop({ drainMs: 0 });
  return { ending, sequences: shown.map(({ sequence }) => sequence) };
}

describe.each(flows)("$name, in a runtime", (flow) => {
  it("ends as it does in memory", async () => {
    const inMemory = await record(flow);

    const stored = await run(flow);

    expect(stored.ending).toEqual(inMemory.ending);
  });

  it("ends the same when every wait leaves memory", async () => {
    const whole = await run(flow);

    const restored = await run(flow, { idleReleaseMs: 0, snapshotEvery: 1 });

    expect(restored.ending).toEqual(whole.ending);
  });

  it("ends the same whichever commit the process is killed at", async () => {
    const whole = await run(flow);

    for (let diesAt = 1; diesAt <= whole.commits; diesAt++) {
      if (!isTried(diesAt - 1)) continue;
      const killed = await runKilled(flow, diesAt);
      expect(killed.ending, `killed at commit ${diesAt} of ${whole.commits}`).toEqual(whole.ending);
      expect(killed.sequences, `stream after a kill at commit ${diesAt}`).toEqual(
        killed.sequences.map((_, index) => index),
      );
    }
  });
});
