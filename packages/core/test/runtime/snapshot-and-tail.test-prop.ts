/** A snapshot at any tick, and the ticks behind it, give what all ticks give. */

import { expect, it } from "vitest";
import { isTried } from "../../../../test-share.js";
import { memoryStore, type RunStore } from "../../src/entries/runtime.js";
import type { RunTree } from "../../src/replay/run-tree.js";
import { ResourceContainer } from "../../src/resource/resource.js";
import { type LoadFrom, loadTree } from "../../src/runtime/worker/load/load.js";
import { RegisteredWorkflows } from "../../src/runtime/worker/workflows/registered-workflows.js";
import { type Flow, flows } from "../support/flows.js";
import { driveHandle, runtimeOf, silent, TurnClock } from "../support/runtimes.js";

const key = { tenant: "", runId: "run" };

/** A store with all ticks of a run that has ended, and no snapshot. */
async function storedRun(flow: Flow): Promise<RunStore> {
  const clock = new TurnClock();
  const store = memoryStore();
  const runtime = runtimeOf(flow, new Proxy(store, { get: keepsOpen }), { clock, snapshotEvery: 1_000_000 });
  const handle = runtime.run("flow", (flow.input ?? {}) as never, { runId: "run" });
  await driveHandle(flow, handle, clock);
  await runtime.stop({ drainMs: 0 });
  return store;
}

function keepsOpen(store: RunStore, name: string | symbol): unknown {
  if (name === "close") return async () => {};
  const member = store[name as keyof RunStore];
  return typeof member === "function" ? (member as () => unknown).bind(store) : member;
}

async function fromOf(flow: Flow, store: RunStore, snapshot: string | null, tick = 0): Promise<LoadFrom> {
  const ports = { clock: new TurnClock(), log: silent };
  const resources = new ResourceContainer("app");
  const book = new RegisteredWorkflows({ flow: flow.make().workflow }, { ports, resources, store });
  const run = await store.run(key);
  if (run === null) throw new TypeError("the run is not stored");
  const withSnapshot = new Proxy(store, {
    get(target, name) {
      if (name !== "snapshot") return keepsOpen(target, name);
      return async () => (snapshot === null ? null : { tick, atMs: 0, text: snapshot });
    },
  });
  return { store: withSnapshot, run, workflow: book.get("flow") };
}

function textOf(tree: RunTree, code: string): string {
  return JSON.stringify({ code, run: tree.toDict({ isStored: true }) });
}

it.each(flows)("holds for $name", async (flow) => {
  const store = await storedRun(flow);
  const from = await fromOf(flow, store, null);
  const { code } = from.workflow;

  for (let tick = 1; tick < from.run.ticks; tick++) {
    const { tree } = await loadTree(from, tick);
    const behind = await fromOf(flow, store, textOf(tree, code.hash), tick);
    for (let later = tick + 1; later < from.run.ticks; later++) {
      if (!isTried(later - tick - 1)) continue;
      const whole = await loadTree(from, later);
      const loaded = await loadTree(behind, later);
      expect(JSON.parse(textOf(loaded.tree, code.hash)), `snapshot at ${tick}, loaded up to ${later}`).toEqual(
        JSON.parse(textOf(whole.tree, code.hash)),
      );
    }
  }
});
