/** What a process does when it hears of runs of others. */
import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore, type RunChange, type RunKey } from "../../src/entries/runtime.js";
import { withMethods } from "../support/processes.js";
import { works } from "../support/queued.js";
import { settle, VirtualClock } from "../support/virtual-clock.js";

/** A process that has looked for what is due, and a way to tell it of a run. Each gives how many looks came of it. */
async function listening(queues = {}) {
  const inner = memoryStore();
  let looks = 0;
  let tell: (key: RunKey | null, news?: RunChange) => void = () => {};
  const store = withMethods(inner, {
    claimDue: (request) => {
      looks++;
      return inner.claimDue(request);
    },
    watch: (listener) => {
      tell = listener;
      return () => {};
    },
  });
  const runtime = createRuntime({ workflows: works().flows, store, queues, clock: new VirtualClock() });
  await runtime.start();
  await settle();
  const looksAfter = async (news?: RunChange, runId = "of another"): Promise<number> => {
    const before = looks;
    tell({ tenant: "", runId }, news);
    await settle();
    return looks - before;
  };
  return { looksAfter };
}

describe("a process that hears of a run of another", () => {
  it("looks for what is due when something is, and when it is not told", async () => {
    const { looksAfter } = await listening();

    expect(await looksAfter("due")).toBe(1);
    expect(await looksAfter()).toBe(1);
  });

  it("does not look when the run got further, or has ended", async () => {
    const { looksAfter } = await listening();

    expect(await looksAfter("progressed")).toBe(0);
    expect(await looksAfter("ended")).toBe(0);
  });

  it("looks when the run has ended, where it serves queues: there may be a place", async () => {
    const { looksAfter } = await listening({ llm: { concurrency: 1 } });

    expect(await looksAfter("ended")).toBe(1);
    expect(await looksAfter("progressed")).toBe(0);
  });
});
