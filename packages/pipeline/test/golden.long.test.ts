/** Pipelines that earlier trees have stored are read by this one, and go on to the same end. For ever. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import type { RunStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeSqlText } from "../../sqlite/test/sql-text.js";
import type { Pipeline, PipelineRunOutput } from "../src/index.js";
import { temporaryDirectory } from "./support/files.js";
import { keys, type OrderState, orders, runOptions } from "./support/orders.js";
import { answerAll } from "./support/pipelines.js";
import { answer, expected, given, reviewed } from "./support/reviewed.js";

const golden = new URL("./golden/", import.meta.url);
const files = readdirSync(golden, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) => readdirSync(new URL(`${version}/`, golden)).map((name) => `${version}/${name}`));
const asked = files.filter((name) => name.includes("/asked-"));
const ended = files.filter((name) => name.endsWith("/ended.sql"));
const left = files.filter((name) => name.includes("/left-at-"));

const read = (name: string): string => readFileSync(new URL(name, golden), "utf8");

/** What it gave when the file was written. */
function outputOf(name: string): PipelineRunOutput {
  const [version, file = ""] = name.split("/");
  return JSON.parse(read(`${version}/outputs.json`))[file];
}

/** Whatever the clock of this machine says, the process that had the runs is gone, and they are due. */
const gone = `
  UPDATE runs SET lease_until = 0 WHERE owner IS NOT NULL;
  UPDATE runs SET wake_at = 0 WHERE wake_at IS NOT NULL;
`;

function open(name: string, make: (store: RunStore) => Pipeline): Pipeline {
  const path = join(temporaryDirectory(), "runs.db");
  writeSqlText(path, read(name) + gone);
  const made = make(sqliteStore(path, { durability: "process" }));
  onTestFinished(() => made.close());
  return made;
}

/** How long it has been there is left out: of a run that waits, that goes on. */
function asJson(output: PipelineRunOutput): unknown {
  const json = JSON.parse(JSON.stringify(output));
  return { ...json, metrics: { ...json.metrics, duration: 0 } };
}

it("of each version there are runs at four questions, runs that were killed at five moments, and one at its end", () => {
  for (const version of ["v1/"])
    expect([asked, left, ended].map((names) => names.filter((name) => name.startsWith(version)).length)).toEqual([
      4, 5, 1,
    ]);
});

describe.each(asked)("the waiting run of %s", (name) => {
  it("is as it was", async () => {
    const made = open(name, reviewed);

    expect(asJson(await made.getRun(given.runId))).toEqual(asJson(outputOf(name)));
  });

  it("is answered and ends as it did", async () => {
    const made = open(name, reviewed);

    const output = await answerAll(made, await made.getRun(given.runId), answer);

    expect(output).toMatchObject(expected);
    // Which of two branches goes on first is up to the host.
    const named = ({ answered }: PipelineRunOutput) =>
      answered.map(({ kind, stepName }) => `${kind} ${stepName}`).sort();
    expect(named(output)).toEqual(named(outputOf(ended[0] as string)));
  });
});

describe.each(ended)("the run of %s, which has ended,", (name) => {
  it("is as it was, and so is its session", async () => {
    const made = open(name, reviewed);

    expect(asJson(await made.getRun(given.runId))).toEqual(asJson(outputOf(name)));
    expect(await made.sessions.get(given.sessionId)).toMatchObject({
      state: expected.content.state,
      runs: [{ runId: given.runId }],
    });
  });

  it("is followed by another one of its session", async () => {
    const made = open(name, reviewed);

    const next = await answerAll(made, await made.run({ topic: "rivers" }, { ...given, runId: "next" }), answer);

    expect(next).toMatchObject(expected);
    expect((await made.sessions.get(given.sessionId))?.runs).toHaveLength(2);
  });
});

describe.each(left)("the run of %s, whose process was killed,", (name) => {
  it("goes on and does each step once", async () => {
    const made = open(name, (store) => orders(store, { effect: () => {}, isNested: true }));
    await made.start();

    const output = await made.handle(runOptions.runId);

    const state = (await made.sessions.get(runOptions.sessionId))?.state as unknown as OrderState;
    expect(output).toMatchObject({ status: "COMPLETED", content: "send 2 after 29 characters" });
    expect(output.events.filter(({ event }) => event === "StepCompleted")).toHaveLength(keys.length + 4);
    expect(state).toMatchObject({ edits: keys.length, rounds: [1, 2] });
    expect(Object.keys(state.done).sort()).toEqual([...keys].sort());
  });
});
