/** What any released version wrote is read, replayed and finished by this one. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { optionalModules } from "../src/engine/optional-modules.js";
import {
  compileWorkflow,
  createRouting,
  createRunState,
  decodeTick,
  encodeTick,
  replay,
} from "../src/entries/engine.js";
import { encodeState } from "../src/snapshot/encode.js";
import { goldenFlow } from "./golden/play.js";
import { Golden } from "./golden/workflow.js";
import { finish } from "./support/drive.js";
import { expectSoundState } from "./support/invariants.js";

const folder = new URL("./golden/", import.meta.url);
const versions = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

function read(version: string, name: string) {
  return JSON.parse(readFileSync(new URL(`${version}/${name}`, folder), "utf8"));
}

describe("golden files", () => {
  it("are there", () => {
    expect(versions).toContain("v1");
  });
});

describe.each(versions)("the golden files of %s", (version) => {
  const compiled = compileWorkflow(new Golden());
  const ending = read(version, "result.json");
  const begin = () => createRunState({ runId: "run", workflow: compiled.name, store: compiled.state?.initial() });

  it("have a snapshot that runs to the recorded result", async () => {
    expect(await finish(goldenFlow, JSON.stringify(read(version, "snapshot.json")))).toEqual(ending);
  });

  it("have a journal that replays to the recorded result", () => {
    const ticks = read(version, "journal.json").map((tick: unknown) => decodeTick(tick, compiled));

    const state = replay(createRouting(compiled.definition), begin(), ticks);

    expectSoundState(state);
    expect(state.outcome).toMatchObject({ status: "completed", event: { result: ending.result } });
  });

  it("have a journal that is replayed by code that fans out, collects and joins nothing any more", () => {
    const ticks = read(version, "journal.json").map((tick: unknown) => decodeTick(tick, compiled));
    for (const name of ["collect", "join", "gathered", "fanOuts", "recovery"] as const) delete optionalModules[name];

    const state = replay(createRouting(compiled.definition), begin(), ticks);

    expect(state.outcome).toMatchObject({ status: "completed", event: { result: ending.result } });
  });

  it("have a journal every prefix of which runs to the recorded result", async () => {
    const journal: unknown[] = read(version, "journal.json");

    for (let length = 1; length < journal.length; length++) {
      const ticks = journal.slice(0, length).map((tick) => decodeTick(tick, compiled));
      const state = replay(createRouting(compiled.definition), begin(), ticks);
      const snapshot = JSON.stringify(encodeState(state, compiled));
      if (state.scopes !== null) delete optionalModules.fanOuts; // an open fan-out brings the code for it
      expect(await finish(goldenFlow, snapshot), `after ${length} ticks`).toEqual(ending);
    }
  });
});

it("this version writes ticks as the newest golden journal has them", () => {
  const compiled = compileWorkflow(new Golden());
  const journal: unknown[] = read(versions.toSorted().at(-1) as string, "journal.json");

  const again = journal.map((tick) => encodeTick(decodeTick(tick, compiled), compiled));

  expect(JSON.parse(JSON.stringify(again))).toEqual(journal);
});
