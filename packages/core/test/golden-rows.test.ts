/** Rows that released versions stored of durable runs load: from each snapshot, and from the first tick. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryStore, type StoredSnapshot } from "../src/entries/runtime.js";
import { ResourceContainer } from "../src/resource/resource.js";
import { restoreRun } from "../src/run/snapshot-run.js";
import { type LoadFrom, loadTree } from "../src/runtime/worker/load/load.js";
import { RegisteredWorkflows } from "../src/runtime/worker/workflows/registered-workflows.js";
import { keptFlows } from "./golden/keep.js";
import type { KeptRows } from "./golden/keep-rows.js";
import { JumpClock } from "./support/drive.js";
import { expectSoundState } from "./support/invariants.js";
import { silent } from "./support/runtimes.js";

const golden = new URL("./golden/", import.meta.url);
const kept = readdirSync(golden).flatMap((version) => {
  const folder = new URL(`${version}/rows/`, golden);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file): readonly [string, KeptRows] => {
    const rows = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as KeptRows;
    return [`${version}: ${rows.flow}`, rows];
  });
});

/** The rows as a store gives them. */
function fromOf({ flow, run, code, batches }: KeptRows, snapshot: StoredSnapshot | null): LoadFrom {
  const { workflow } = (keptFlows.find(({ name }) => name === flow) as (typeof keptFlows)[number]).make();
  const ports = { clock: new JumpClock(), log: silent };
  const book = new RegisteredWorkflows(
    { flow: workflow },
    { ports, resources: new ResourceContainer("app"), store: memoryStore() },
  );
  const store: LoadFrom["store"] = {
    blob: async (hash) => (hash === run.code ? code : null),
    snapshot: async () => snapshot,
    ticks: async (_, { after, limit }) => batches.filter(({ last }) => last > after).slice(0, limit),
  };
  return { store, run, workflow: book.get("flow") };
}

describe("the kept rows", () => {
  it("are as many as there were, and some were stored with steps at work", () => {
    const texts = kept.flatMap(([, { snapshots }]) => snapshots.map(({ text }) => text));

    expect(kept.filter(([name]) => name.startsWith("v1"))).toHaveLength(34);
    for (const status of ["running", "suspended", "resuming"])
      expect(
        texts.some((text) => text.includes(`"status":"${status}","attempt":`)),
        status,
      ).toBe(true);
  });
});

describe.each(kept)("%s", (_, rows) => {
  it("ends as it did", async () => {
    const { tree } = await loadTree(fromOf(rows, null));

    expect(tree.root.state.status).toBe(rows.run.status);
  });

  it("is at every later tick the same, whether it was loaded from a snapshot or from the first tick", async () => {
    const wholeAt = new Map<number, unknown>();
    for (const snapshot of rows.snapshots)
      for (let tick = snapshot.tick; tick <= rows.run.ticks; tick += 2) {
        const loaded = await loadTree(fromOf(rows, snapshot), tick);
        if (!wholeAt.has(tick)) wholeAt.set(tick, storedBy(await loadTree(fromOf(rows, null), tick)));

        for (const { state } of loaded.tree.members.values()) expectSoundState(state);
        expect(storedBy(loaded), `from ${snapshot.tick} to ${tick}`).toEqual(wholeAt.get(tick));
      }
  });
});

describe("a stored snapshot", () => {
  const [, rows] = kept.find(([, { flow }]) => flow === "a generator") as (typeof kept)[number];

  async function stored() {
    const { tree } = await loadTree(fromOf(rows, null), rows.snapshots[0]?.tick);
    return { code: tree.code.hash, run: tree.toDict({ isStored: true }) };
  }

  function load(json: object) {
    return loadTree(fromOf(rows, { tick: 1, atMs: 0, text: JSON.stringify(json) }), 1);
  }

  it("says that it has the work under way: code that knows snapshots without it refuses it", async () => {
    const { run } = await stored();
    const { workflow } = fromOf(rows, null);

    expect(run).toMatchObject({ version: 2, items: [{ status: "running" }, { status: "running" }] });
    expect(() => restoreRun(workflow.compiled, run)).toThrow("has version 2; this Millrace reads up to 1");
  });

  it.each([
    ["a status that there is not", { items: [{ status: "lost" }] }],
    ["a number of open calls below 0", { items: [{ open: -1 }] }],
    ["an answered call without a name", { items: [{ answered: [7] }] }],
    ["a queue of something else", { loads: [{ ready: ["first"] }] }],
    ["no number of running attempts", { loads: [{ running: null }] }],
    ["no number of active items", { active: "all" }],
    ["a fan-out that is paused in its own way", { scopes: [{ paused: "yes" }] }],
  ])("is refused with %s", async (_, changed: Readonly<Record<string, unknown>>) => {
    const { code, run } = await stored();
    const changes = Object.entries(changed).map(([name, value]) => {
      const list = run[name as "items"];
      return [name, Array.isArray(value) && list ? [{ ...list[0], ...value[0] }, ...list.slice(1)] : value];
    });

    await expect(load({ code, run: { ...run, ...Object.fromEntries(changes) } })).rejects.toMatchObject({
      code: "SNAPSHOT_INVALID",
    });
  });
});

function storedBy({ tree }: Awaited<ReturnType<typeof loadTree>>): unknown {
  const text = JSON.stringify({ code: tree.code.hash, run: tree.toDict({ isStored: true }) });
  // The first tick of a child brings its state.
  return JSON.parse(text, (_, value) => (value?.ticks === 0 ? null : value));
}
