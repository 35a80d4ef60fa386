import fc from "fast-check";
import { describe, it } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { blobSuite } from "./blobs.js";
import { commitSuite } from "./commits.js";
import { dedupeSuite } from "./deduping.js";
import { deleteSuite } from "./deleting.js";
import { dueSuite } from "./due.js";
import { eventSuite } from "./events.js";
import { hostileSuite } from "./hostile.js";
import { journalSuite } from "./journal.js";
import { leaseSuite } from "./leases.js";
import { lifeSuite } from "./life.js";
import { listSuite } from "./listing.js";
import { moveSuite } from "./moving.js";
import { createStoreTest, type OpenStore } from "./opened-store.js";
import { placeSuite } from "./places.js";
import { postSuite } from "./posts.js";
import { queueSuite } from "./queues.js";
import { checkConcurrent, schedules } from "./random-concurrent.js";
import { checkAgainstModel, operations } from "./random-model.js";
import { checkQueueLife, queueLives } from "./random-queues.js";
import { recordSuite } from "./records.js";
import { searchSuite } from "./searching.js";
import { statisticsSuite } from "./statistics.js";
import { updatingSuite } from "./updating.js";
import { watchSuite } from "./watching.js";

export type { OpenedStore } from "./opened-store.js";

/**
 * Declares the tests of a run store. `open` returns a new, empty store for each test.
 *
 * @example
 * runStoreSuite("memoryStore", async () => {
 *   const store = memoryStore();
 *   return { store, reopen: async () => store, dispose: () => store.close() };
 * });
 */
export function runStoreSuite(name: string, open: OpenStore): void {
  const test = createStoreTest(open);
  describe(`${name}: a run store`, () => {
    lifeSuite(test);
    leaseSuite(test);
    dueSuite(test);
    queueSuite(test);
    placeSuite(test);
    commitSuite(test);
    journalSuite(test);
    eventSuite(test);
    postSuite(test);
    listSuite(test);
    searchSuite(test);
    statisticsSuite(test);
    recordSuite(test);
    updatingSuite(test);
    dedupeSuite(test);
    blobSuite(test);
    deleteSuite(test);
    moveSuite(test);
    watchSuite(test);
    hostileSuite(test);
    randomSuite(open);
  });
}

/** The same seed in every run, so that a change is judged by its effect alone. */
const settings = { seed: 20_240_607, numRuns: casesOf(40) };

function randomSuite(open: OpenStore): void {
  const test = <Case>(name: string, cases: fc.Arbitrary<Case>, check: (open: OpenStore, one: Case) => Promise<void>) =>
    it(name, { timeout: 300_000 }, () =>
      fc.assert(
        fc.asyncProperty(cases, (one) => check(open, one)),
        settings,
      ),
    );
  describe("any sequence of calls", () => {
    test("answers as a naive model of the contract does", operations, checkAgainstModel);
    test("never lets two owners commit in one epoch, and keeps ticks without gaps", schedules, checkConcurrent);
    test(
      "keeps the limits of a queue and the order within its keys, and lets no key wait for another twice",
      queueLives,
      checkQueueLife,
    );
  });
}
