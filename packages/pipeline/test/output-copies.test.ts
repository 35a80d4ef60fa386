/** How often the text that one step returns stands in the file of its run, as users open it. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it } from "vitest";
import { Loop, Parallel, Pipeline, type PipelineOptions, type Step, Steps } from "../src/index.js";
import { temporaryDirectory } from "./support/files.js";
import { pipeline, step } from "./support/pipelines.js";

const MARK = "the only text of its kind";
const marked = `${MARK}${", and so on".repeat(180)}`;

const text = (): Step => step("text", { executor: () => marked });
const after = (): Step => step("after", { executor: () => "next" });

const trees: Record<string, () => PipelineOptions["steps"]> = {
  "a plain step": () => [text(), after()],
  "a step in a Steps": () => [new Steps({ name: "group", steps: [text(), after()] }), after()],
  "a step in a Parallel": () => [new Parallel("both", text(), after()), after()],
  "a step in a Loop": () => [new Loop({ name: "loop", maxIterations: 1, steps: [text(), after()] }), after()],
  "a step of a nested pipeline": () => [new Pipeline({ name: "inner", steps: [text(), after()] }), after()],
  "the last step of a nested pipeline": () => [new Pipeline({ name: "inner", steps: [text()] }), after()],
};

/** Copies by the table that they are in. */
async function copiesOf(steps: PipelineOptions["steps"], streamEvents: boolean): Promise<Record<string, number>> {
  const path = join(temporaryDirectory(), "runs.db");
  const made = pipeline(steps, { store: sqliteStore(path) });
  await made.run("in", { streamEvents });
  await made.close(); // how the run ended is stored a moment later
  return copiesIn(path);
}

function copiesIn(path: string): Record<string, number> {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const found = tables.map(({ name }) => {
    const rows = database.prepare(`SELECT * FROM ${String(name)}`).all();
    const values = rows.flatMap((row) => Object.values(row).map(String));
    return [String(name), values.reduce((sum, value) => sum + value.split(MARK).length - 1, 0)] as const;
  });
  database.close();
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

/**
 * The tick of the step and that of the end, the row of the run, and the event that shows it: a stream begins anew in a fork, and its
 * readers may be in any process, so that each event says itself what it is about.
 */
const plain = { ticks: 2, runs: 1, events: 1 };

describe("the text of a step that has ended", () => {
  it.each<[string, Record<string, number>]>([
    ["a plain step", plain],
    // The output of the group has it as well.
    ["a step in a Steps", { ...plain, ticks: 3 }],
    ["a step in a Parallel", { ...plain, ticks: 3 }],
    ["a step in a Loop", { ...plain, ticks: 3 }],
    // As above, and its nested run: its last event, and its result.
    ["a step of a nested pipeline", { ...plain, ticks: 8, events: 2 }],
    ["the last step of a nested pipeline", { ...plain, ticks: 9, events: 2 }],
  ])("of %s, in a run that shows its results", async (tree, expected) => {
    expect(await copiesOf(trees[tree]?.() ?? [], false)).toEqual(expected);
  });

  it.each<[string, Record<string, number>]>([
    ["a plain step", plain],
    ["a step in a Steps", { ...plain, ticks: 3, events: 2 }],
    ["a step in a Parallel", { ...plain, ticks: 3, events: 2 }],
    ["a step in a Loop", { ...plain, ticks: 4, events: 3 }],
    ["a step of a nested pipeline", { ...plain, ticks: 9, events: 4 }],
    ["the last step of a nested pipeline", { ...plain, ticks: 10, events: 4 }],
  ])("of %s, in a run that shows all events", async (tree, expected) => {
    expect(await copiesOf(trees[tree]?.() ?? [], true)).toEqual(expected);
  });
});
