import fc from "fast-check";
import { describe, it } from "vitest";
import type { OpenStore } from "./opened-store.js";
import { checkConcurrent, schedules } from "./random-concurrent.js";
import { checkAgainstModel, operations } from "./random-model.js";

/** The same in every run, so that a change is judged by what it changes. */
const settings = { seed: 20_240_607, numRuns: 40 };

export function randomSuite(open: OpenStore): void {
  describe("any sequence of calls", () => {
    it("answers as a naive model of the contract does", { timeout: 300_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(operations, (sequence) => checkAgainstModel(open, sequence)),
        settings,
      );
    });

    it("never lets two owners commit in one epoch, and keeps ticks without gaps", { timeout: 300_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(schedules, (schedule) => checkConcurrent(open, schedule)),
        settings,
      );
    });
  });
}
