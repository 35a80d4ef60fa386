/** A run can be killed at any tick: what was stored until then leads to the same end. */

import { describe, expect, it } from "vitest";
import { isTried } from "../../../test-share.js";
import {
  type CompiledWorkflow,
  compileWorkflow,
  createRouting,
  createRunState,
  decodeTick,
  outstanding,
  type RunState,
  reduce,
  replay,
  type Tick,
} from "../src/entries/engine.js";
import { Context } from "../src/index.js";
import { decodeState } from "../src/snapshot/decode.js";
import { encodeState } from "../src/snapshot/encode.js";
import { readSnapshot } from "../src/snapshot/snapshot-shape.js";
import { drive, finish, JumpClock, record, useClock } from "./support/drive.js";
import { type Flow, flows } from "./support/flows.js";
import { expectSoundState } from "./support/invariants.js";

/** The ticks of a run alone do not give the states of its children: those flows are stopped by snapshots of the whole. */
const childless: readonly Flow[] = flows.filter((flow) => flow.make().children === undefined);

function newState(compiled: CompiledWorkflow): RunState {
  return createRunState({ runId: "run", workflow: compiled.name, store: compiled.state?.initial() ?? {} });
}

/** All that a snapshot leaves out and the engine derives again. */
function derived({ items, loads, active, activeSinceMs, waits, prompts, runTimer, timers }: RunState): object {
  const queues = [...(loads ?? [])].map(([step, { running, ready, resuming }]) => [
    step,
    running,
    ready?.toArray() ?? [],
    resuming?.toArray() ?? [],
  ]);
  return {
    active,
    activeSinceMs,
    queues,
    items: [...items.values()].map(({ id, status, attempt, open, answered }) => ({
      id,
      status,
      attempt,
      open,
      answered,
    })),
    waits: [...(waits ?? [])].map(([type, open]) => [type, [...open].map((wait) => [wait.item, wait.call])]),
    prompts: [...(prompts?.keys() ?? [])].sort(),
    timers: (timers?.toArray() ?? []).map(({ position, ...timer }) => [timer.dueAtMs, timer.order, timer.kind]),
    timeoutAtMs: runTimer?.dueAtMs,
  };
}

/** The ticks as a host would read them after a crash. */
function read(journal: readonly string[], compiled: CompiledWorkflow): Tick[] {
  return journal.map((line) => decodeTick(JSON.parse(line), compiled));
}

function snapshotOf(state: RunState, compiled: CompiledWorkflow): string {
  return JSON.stringify(encodeState(state, compiled));
}

it.each(flows.filter((flow) => flow.sharesStore !== true))(
  "$name: replays to the live state at every prefix",
  async (flow) => {
    const compiled = compileWorkflow(flow.make().workflow);
    const routing = createRouting(compiled.definition);
    const replayed = newState(compiled);

    const { final, ticks } = await record(flow, (live, round) => {
      expect(replayed).toStrictEqual(live);
      replay(routing, replayed, round);
    });

    expect(replayed).toStrictEqual(final);
    expect(ticks.length).toBeGreaterThan(1);
  },
);

describe.each(flows)("$name", (flow) => {
  const { workflow } = flow.make();
  const compiled = compileWorkflow(workflow);
  const routing = createRouting(compiled.definition);

  it("replays the same from its journal, at every prefix, as often as you like", async () => {
    const { ticks, journal } = await record(flow);
    const live = newState(compiled);
    const [once, twice] = [newState(compiled), newState(compiled)];

    for (const [index, tick] of read(journal, compiled).entries()) {
      reduce(routing, live, ticks[index] as Tick);
      reduce(routing, once, tick);
      reduce(routing, twice, tick);
      // What children have made of a store that they share is in the live ticks alone.
      if (flow.sharesStore === true) live.store = once.store;
      expect(once).toStrictEqual(live);
      expect(twice).toStrictEqual(once);
    }
  });

  it("keeps count of what is open, between any two ticks", async () => {
    const { ticks } = await record(flow);
    const state = newState(compiled);
    const closed = new Set<number>();

    for (const tick of ticks) {
      const before = new Set(state.scopes?.keys());
      reduce(routing, state, tick);
      expectSoundState(state);
      for (const id of state.scopes?.keys() ?? []) expect(closed).not.toContain(id);
      for (const id of before) if (!state.scopes?.has(id)) closed.add(id);
    }

    expect(state.ticks).toBe(ticks.length);
  });

  it("is the same state after a snapshot, at every prefix", async () => {
    const { ticks } = await record(flow);

    for (let length = 1; length <= ticks.length; length++) {
      if (!isTried(length - 1)) continue;
      const live = replay(routing, newState(compiled), ticks.slice(0, length));
      const text = snapshotOf(live, compiled);
      const restored = decodeState(compiled, readSnapshot(JSON.parse(text)));
      expect(snapshotOf(restored, compiled)).toBe(text);
      const again: Tick = { type: "run.resumed", atMs: live.atMs };
      expect(outstanding(routing, restored, again)).toEqual(outstanding(routing, live, again));
      expectSoundState(restored);
      expect(snapshotOf(restored, compiled)).toBe(snapshotOf(live, compiled));
      expect(derived(restored)).toEqual(derived(live));
    }
  });

  it("ends the same from a snapshot of every round", async () => {
    const { ending, snapshots } = await record(flow);

    const endings = [];
    const tried = snapshots.slice(1).filter((_, round) => isTried(round));
    for (const snapshot of tried) endings.push(await finish(flow, snapshot));

    expect(endings).toEqual(tried.map(() => ending));
  });
});

describe.each(childless)("$name", (flow) => {
  const compiled = compileWorkflow(flow.make().workflow);
  const routing = createRouting(compiled.definition);

  it("ends the same from every prefix of its journal, and does no effect again that was stored", async () => {
    const { ending, journal } = await record(flow);
    const ticks = read(journal, compiled);

    for (let length = 1; length < ticks.length; length++) {
      const prefix = ticks.slice(0, length);
      const made = flow.make();
      const snapshot = snapshotOf(replay(routing, newState(compiled), prefix), compiled);
      expect(
        await finish(flow, snapshot, made),
        `after ${length} ticks, the last of which is ${prefix.at(-1)?.type}`,
      ).toEqual(ending);
      const stored = prefix.filter((tick) => tick.type === "effect.recorded").length;
      expect(made.effects?.get("pay") ?? 0).toBe(made.effects ? 1 - stored : 0);
    }
  });

  it("ends the same when it is cancelled after any tick, and resumed", async () => {
    const { ending, journal } = await record(flow);
    const ticks = read(journal, compiled);

    for (let length = 1; length < ticks.length; length++) {
      const state = replay(routing, newState(compiled), ticks.slice(0, length));
      reduce(routing, state, { type: "run.cancelled", atMs: state.atMs, reason: "enough" });
      expectSoundState(state);
      expect(await finish(flow, snapshotOf(state, compiled)), `cancelled after ${length} ticks`).toEqual(ending);
    }
  });

  it("ends the same when it times out after any tick, and is retried", async () => {
    const { ending, journal } = await record(flow);
    const ticks = read(journal, compiled);

    for (let length = 1; length < ticks.length; length++) {
      const state = replay(routing, newState(compiled), ticks.slice(0, length));
      reduce(routing, state, { type: "run.resumed", atMs: state.atMs, deadlineMs: state.atMs });
      expect(state.status).toBe("timedOut");
      expectSoundState(state);
      const made = flow.make();
      const clock = new JumpClock(state.atMs);
      useClock(made, clock);
      const context = Context.fromDict(made.workflow, JSON.parse(snapshotOf(state, compiled)));
      expect(await drive(flow, made.workflow.retry(context), clock), `timed out after ${length} ticks`).toEqual(ending);
    }
  });
});
