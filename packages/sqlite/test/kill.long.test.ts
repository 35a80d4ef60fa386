/** The soak with few runs and few kills: `pnpm soak` does it with many. */
import { itemsOfRun, type SoakReport, soak } from "@millrace/conformance/soak";
import { expect, it } from "vitest";
import { subjectIn } from "../soak/subject.js";
import { temporaryDirectory } from "./files.js";

const timeout = 400_000;

/** Everything that must hold is in `problems`; the rest says that there was something to find. */
function expectSound(report: SoakReport, runs: number): void {
  expect(report.problems).toEqual([]);
  expect(report.completed).toBe(runs);
  expect(report.effects).toBe(runs * (itemsOfRun + 1));
  expect(report.receipts).toBeGreaterThanOrEqual(2 * runs);
  expect(report.epochs).toBeGreaterThan(1);
}

it("ends every run once and right when its process is killed again and again", { timeout }, async () => {
  const directory = temporaryDirectory();
  const options = { directory, seed: 7, runs: 40, kills: 8, processes: 1 };

  const report = await soak(subjectIn(directory, "power"), options);

  expectSound(report, options.runs);
  expect(report.kills).toBe(options.kills);
});

it("lets no two owners commit to one run when two processes are killed and stopped", { timeout }, async () => {
  const directory = temporaryDirectory();
  const options = { directory, seed: 8, runs: 40, kills: 6, processes: 2 };

  const report = await soak(subjectIn(directory, "process"), options);

  expectSound(report, options.runs);
  expect(report.stops).toBeGreaterThan(0);
});
