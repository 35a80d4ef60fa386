/** What released versions wrote of every flow loads, replays and continues to the same end. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startOver } from "../src/engine/reduce/finish.js";
import {
  compileWorkflow,
  createRouting,
  createRunState,
  decodeTick,
  type RunState,
  replay,
} from "../src/entries/engine.js";
import { Context } from "../src/index.js";
import { decodeState } from "../src/snapshot/decode.js";
import { encodeState } from "../src/snapshot/encode.js";
import { readSnapshot } from "../src/snapshot/snapshot-shape.js";
import { type Kept, keptFlows } from "./golden/keep.js";
import { drive, type Ending, finish, JumpClock, useClock } from "./support/drive.js";
import type { Flow } from "./support/flows.js";
import { expectSoundState } from "./support/invariants.js";

const golden = new URL("./golden/", import.meta.url);
const flowOf = new Map(keptFlows.map((flow) => [flow.name, flow]));

const kept = readdirSync(golden, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) => {
    const folder = new URL(`${version}/flows/`, golden);
    return readdirSync(folder).map((file) => {
      const one = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Kept;
      return { ...one, version, flow: flowOf.get(one.flow) as Flow };
    });
  });
const named = kept.map((one) => [`${one.version}: ${one.flow.name}`, one] as const);
/** Replayed ticks of a run alone do not give the states of its children. */
const childless = named.filter(([, { flow }]) => flow.make().children === undefined);

function replayed(flow: Flow, journal: readonly unknown[]): RunState {
  const { workflow } = flow.make();
  const compiled = compileWorkflow(workflow);
  const begun = createRunState({ runId: "run", workflow: compiled.name, store: compiled.state?.initial() ?? {} });
  const ticks = journal.map((tick) => decodeTick(tick, compiled));
  return replay(createRouting(compiled.definition), begun, ticks);
}

async function goOnFrom(flow: Flow, state: RunState): Promise<Ending> {
  const made = flow.make();
  return finish(flow, JSON.stringify(encodeState(state, compileWorkflow(made.workflow))), made);
}

describe("the kept flows", () => {
  it("are as many as there were", () => {
    expect(kept.filter(({ version }) => version === "v1")).toHaveLength(34);
  });
});

describe.each(named)("%s", (_, { flow, ending, snapshots, cancelled }) => {
  it("goes on from each of its snapshots to the same end", async () => {
    for (const snapshot of snapshots) expect(await finish(flow, JSON.stringify(snapshot))).toEqual(ending);
  });

  it("goes on to the same end after it was cancelled", async () => {
    const made = flow.make();
    const dict = cancelled.snapshot as { readonly atMs: number };
    const clock = new JumpClock(dict.atMs);
    useClock(made, clock);
    const context = Context.fromDict(made.workflow, dict);

    expect(await drive(flow, made.workflow.resume(context), clock)).toEqual(ending);
  });
});

describe.each(childless)("the journal of %s", (_, { flow, ending, journal, cancelled }) => {
  it("replays to the same end", () => {
    const state = replayed(flow, journal);

    expectSoundState(state);
    expect(state.outcome?.status).toBe(ending.status);
  });

  it("leads to states that start over as their snapshots do", () => {
    const compiled = compileWorkflow(flow.make().workflow);
    // The next attempt awaits its calls anew.
    const stored = (state: RunState): unknown =>
      JSON.parse(
        JSON.stringify(encodeState(state, compiled, { children: {}, isStored: true }), (name, value) =>
          name === "awaited" ? undefined : value,
        ),
      );
    for (let length = 1; length < journal.length; length += 5) {
      const state = replayed(flow, journal.slice(0, length));
      if (state.outcome !== null) continue;
      const restored = decodeState(compiled, readSnapshot(JSON.parse(JSON.stringify(encodeState(state, compiled)))));

      startOver(state);

      expect(stored(state), `after ${length} ticks`).toEqual(stored(restored));
    }
  });

  it("leads to the same end from any tick", async () => {
    for (let length = 1; length < journal.length; length += 3)
      expect(await goOnFrom(flow, replayed(flow, journal.slice(0, length))), `after ${length} ticks`).toEqual(ending);
  });

  it("replays to the state that it was cancelled in", () => {
    const { workflow } = flow.make();
    const state = replayed(flow, cancelled.journal);
    const loaded: object = Context.fromDict(workflow, cancelled.snapshot as object).toDict();
    const stored = encodeState(state, compileWorkflow(workflow));

    expect(state.outcome?.status).toBe("cancelled");
    expect(loaded).toMatchObject({ store: stored.store });
  });
});
