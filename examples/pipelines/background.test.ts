import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createPress } from "./background.js";
import { prove } from "./support/prove.js";

describe("background", () => {
  it("tells how far a run is, and keeps what a cancelled one has done", async () => {
    const { output } = await runExample("pipelines/background.ts");

    expect(output.split("\n")).toEqual([
      "COMPLETED - 10 copies are printed and dry",
      "RUNNING - 500 copies are printed",
      "CANCELLED - [ 'print: 500 copies are printed', 'dry: Cancelled during execution' ]",
      "Session state: { printed: 510 }",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createPress, { copies: 10, dryingMs: 0 });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
