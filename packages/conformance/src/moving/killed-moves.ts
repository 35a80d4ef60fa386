import { setTimeout as pause } from "node:timers/promises";
import type { RunStore, Runtime } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../../../../test-share.js";
import type { ScriptProcess } from "../processes/index.js";
import { Random } from "../soak/random.js";
import type { Phase } from "./move-all.js";
import { movedRuns, openRuntime, Said } from "./moved-runs.js";

/** Two places that outlive a process, and a script that calls `moveAll` over both. */
export interface MovingSubject extends AsyncDisposable {
  open(place: "from" | "to"): RunStore;
  mover(how: string): ScriptProcess;
}

const phases: readonly Phase[] = ["export", "import", "delete"];
/** On the way to a server, there, and on the way back. */
const afterMs = [0, 2, 8];

/** Runs that move by a process that is killed at any moment: each is in one place at the end, once. */
export function killedMovesSuite(make: () => MovingSubject): void {
  describe("moves by a process that is killed", () => {
    let subject: MovingSubject;
    beforeAll(async () => {
      subject = make();
      const runtime = openRuntime(subject.open("from"));
      for (const runId of movedRuns) await runtime.run("asking", {}, { runId, labels: { id: runId } }).idle();
      await runtime.stop();
    });
    afterAll(() => subject[Symbol.asyncDispose]());

    it("keep a run sealed that was exported, until it is released", { timeout: 300_000 }, () => keepsSealed(subject));

    it.each(phases.flatMap((phase) => afterMs.map((ms) => [phase, ms] as const)))(
      "lose nothing in the middle of %s, %s ms after it has asked the store",
      { timeout: 300_000 },
      async (phase, ms) => {
        await expect(subject.mover(`${phase}:${ms}`).rest()).resolves.not.toContain("done");

        const { from, to } = await places(subject);
        expect([...new Set([...from, ...to])].sort()).toEqual([...movedRuns].sort());
        expect(from.filter((runId) => to.includes(runId)).length).toBeLessThanOrEqual(1);
      },
    );

    it("have each run in the other store at the end, whatever the moments", { timeout: 300_000 }, () =>
      movesAll(subject),
    );
  });
}

async function keepsSealed(subject: MovingSubject): Promise<void> {
  const [runId] = movedRuns as [string];
  const mover = subject.mover("stops");
  expect(await mover.line()).toBe("sealed");
  await mover.kill();
  const source = openRuntime(subject.open("from"));
  const said = new Said({ text: "here" });

  await expect(source.handle(runId).sendEvent(said, { key: "early" })).rejects.toMatchObject({ code: "RUN_MOVED" });
  expect(await source.start()).toBe(0);
  await source.release(runId);
  await source.handle(runId).sendEvent(said, { key: "late" });

  expect(await source.handle(runId)).toBe("here");
  await source.stop();
}

async function movesAll(subject: MovingSubject): Promise<void> {
  const random = new Random(7);
  for (let kill = 0; kill < casesOf(20); kill++) {
    const mover = subject.mover("");
    await Promise.race([mover.line(), pause(2_000)]);
    await pause(random.between(0, 60));
    await mover.kill();
  }
  expect((await subject.mover("").rest()).at(-1)).toBe("done");

  const { from, to } = await places(subject);
  expect(from).toEqual([]);
  expect(to).toEqual([...movedRuns].sort());
  const [ended, ...waiting] = movedRuns as [string, ...string[]];
  const target = openRuntime(subject.open("to"));
  for (const runId of waiting) await target.handle(runId).sendEvent(new Said({ text: runId }), { key: "said" });
  expect(await Promise.all(waiting.map((runId) => target.handle(runId)))).toEqual(waiting);
  expect(await target.handle(ended)).toBe("here");
  await target.stop();
}

async function places(subject: MovingSubject): Promise<{ readonly from: string[]; readonly to: string[] }> {
  const ids = async (place: "from" | "to"): Promise<string[]> => {
    const runtime: Runtime = openRuntime(subject.open(place), { execute: false });
    const { runs } = await runtime.runs({ limit: 1_000 });
    await runtime.stop();
    return runs.map(({ runId }) => runId).sort();
  };
  return { from: await ids("from"), to: await ids("to") };
}
