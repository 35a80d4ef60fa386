/** Runs of a process that was killed: what the next one reads to load them. */
import { describe, expect, it } from "vitest";
import { memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, event, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

const LEASE = 30_000;
const runIds = Array.from({ length: 100 }, (_, index) => `run-${index}`);

class Next extends event("Next", {}) {}

/** Stays at work in its second step; a snapshot follows its first. */
function holding(workers = 4) {
  const attempts: string[] = [];
  const flow = defineWorkflow("flow")
    .step("first", { on: StartEvent, emits: Next }, () => new Next())
    .step("second", { on: Next, emits: StopEvent, workers }, async (_next, ctx) => {
      attempts.push(ctx.runId);
      await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", reject));
      return new StopEvent({ result: 1 });
    })
    .build();
  return { attempts, flows: { flow } };
}

interface Reading {
  readonly snapshotEvery?: number;
  /** Workers of the step in the code of the next process. */
  readonly workers?: number;
  readonly journals?: (store: RunStore) => Partial<RunStore>;
}

/** Takes the runs over, and tells how often the process has called which method. */
async function takenOver({ snapshotEvery = 200, workers = 4, journals = () => ({}) }: Reading = {}) {
  const machine = new Machine(memoryStore());
  const dying = machine.open(holding().flows, { leaseMs: LEASE, snapshotEvery });
  await Promise.all(runIds.map((runId) => dying.runtime.run("flow", {}, { runId }).accepted));
  await settle();
  dying.kill();
  await machine.clock.advance(LEASE + 1);
  const calls = new Map<PropertyKey, number>();
  const store = new Proxy(withMethods(machine.store, journals(machine.store)), {
    get(target, name) {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return target[name as keyof RunStore];
    },
  });
  const { attempts, flows } = holding(workers);
  const next = machine.open(flows, { leaseMs: LEASE, store, snapshotEvery });

  await next.runtime.start();
  await settle();
  await machine.clock.advance(1_000);
  return { attempts: attempts.sort(), calls, log: next.log.lines };
}

const all = [...runIds].sort();

describe("the runs of a killed process", () => {
  it.each([200, 1])(
    "are loaded with one read for all of them, with a snapshot every %i ticks",
    async (snapshotEvery) => {
      const { attempts, calls, log } = await takenOver({ snapshotEvery });

      expect(attempts).toEqual(all);
      expect(calls.get("journals")).toBeLessThanOrEqual(2 * 2); // it is looked up, and called
      expect([calls.get("snapshot"), calls.get("ticks")]).toEqual([undefined, undefined]);
      expect(log).toEqual([]);
    },
  );

  it("are loaded one by one where they are too large for one read", async () => {
    const journals = (store: RunStore): Partial<RunStore> => ({
      journals: async (keys) => store.journals?.(keys.slice(0, 60), 1_000_000) ?? [],
    });

    const { attempts, calls, log } = await takenOver({ journals });

    expect(attempts).toEqual(all);
    expect(calls.get("snapshot")).toBe(40);
    expect(log).toEqual([]);
  });

  it("are loaded one by one where the read of all of them fails", async () => {
    const journals = (): Partial<RunStore> => ({ journals: () => Promise.reject(new Error("A row is damaged.")) });

    const { attempts, calls, log } = await takenOver({ journals });

    expect(attempts).toEqual(all);
    expect(calls.get("snapshot")).toBe(100);
    expect(log).toEqual([]);
  });

  it("share one read of the code that they were live with", async () => {
    const { attempts, calls } = await takenOver({ workers: 5 });

    expect(attempts).toEqual(all);
    expect(calls.get("blob")).toBeLessThanOrEqual(8);
  });
});
