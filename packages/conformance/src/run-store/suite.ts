import { describe } from "vitest";
import { blobSuite } from "./blobs.js";
import { commitSuite } from "./commits.js";
import { deleteSuite } from "./deleting.js";
import { dueSuite } from "./due.js";
import { eventSuite } from "./events.js";
import { hostileSuite } from "./hostile.js";
import { journalSuite } from "./journal.js";
import { leaseSuite } from "./leases.js";
import { lifeSuite } from "./life.js";
import { listSuite } from "./listing.js";
import { createStoreTest, type OpenStore } from "./opened-store.js";
import { postSuite } from "./posts.js";
import { randomSuite } from "./random.js";
import { recordSuite } from "./records.js";
import { watchSuite } from "./watching.js";

export type { OpenedStore } from "./opened-store.js";

/**
 * Declares the tests of a run store. `open` gives each of them a store of its own, which is empty.
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
    commitSuite(test);
    journalSuite(test);
    eventSuite(test);
    postSuite(test);
    listSuite(test);
    recordSuite(test);
    blobSuite(test);
    deleteSuite(test);
    watchSuite(test);
    hostileSuite(test);
    randomSuite(open);
  });
}
