/** The soak with few runs and few kills: `pnpm soak` does it with many. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { itemsOfRun, soak } from "@millrace/conformance/soak";
import { expect, it, onTestFinished } from "vitest";
import { casesOf } from "../../../test-share.js";
import { subjectOn } from "../soak/subject.js";
import { Server } from "./support/server.js";

it("ends every run once and right when processes are killed, and the server crashes", {
  timeout: 400_000,
}, async () => {
  await using server = await Server.start();
  const directory = mkdtempSync(join(tmpdir(), "millrace-soak-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const counts = { runs: casesOf(60), others: casesOf(20), kills: casesOf(15), processes: 3, restarts: 1 };

  const report = await soak(subjectOn(server.url, "soak", server), { directory, seed: 5, ...counts });

  expect(report.problems).toEqual([]);
  expect(report.completed).toBe(counts.runs);
  const orders = counts.runs - counts.others;
  expect(report.effects).toBe(orders * (itemsOfRun + 1) + counts.others * 4);
  expect(report).toMatchObject({ kills: counts.kills, restarts: 1 });
  expect(report.receipts).toBeGreaterThanOrEqual(2 * orders);
  expect(report.epochs).toBeGreaterThan(1);
});
