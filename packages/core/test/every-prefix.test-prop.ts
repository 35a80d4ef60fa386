/** A run can be killed at any tick: what was stored until then leads to the same end. */
import { describe, expect, it } from "vitest";
import { createRouting, createRunState, decodeTick, compileWorkflow, reduce, type RunState } from "../src/engine.js";
import { encodeState } from "../src/snapshot/encode.js";
import { finish, record } from "./support/drive.js";
import { flows } from "./support/flows.js";

describe.each(flows)("$name", (flow) => {
  it("replays to the live state at every prefix, also from JSON", async () => {
    const { workflow } = flow.make();
    const compiled = compileWorkflow(workflow);
    const routing = createRouting(compiled.definition);
    let replayed: RunState | null = null;

    const { final, journal } = await record(flow, (live, round) => {
      replayed ??= createRunState({ runId: live.runId, workflow: live.workflow, store: live.store });
      expect(replayed).toStrictEqual(live);
      for (const tick of round) reduce(routing, replayed, tick);
    });

    expect(replayed).toStrictEqual(final);
    expect(journal.length).toBeGreaterThan(1);
  });

  it("ends the same from a snapshot of every round", async () => {
    const { ending, snapshots } = await record(flow);

    const endings = [];
    for (const snapshot of snapshots.slice(1)) endings.push(await finish(flow, snapshot));

    expect(endings).toEqual(snapshots.slice(1).map(() => ending));
  });
});
