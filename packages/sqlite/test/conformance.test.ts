import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runStoreSuite } from "@millrace/conformance";
import { isLong } from "../../../test-share.js";
import { sqliteStore } from "../src/index.js";
import { drivers } from "./files.js";

for (const driver of isLong ? drivers : drivers.slice(0, 1)) {
  runStoreSuite(`sqliteStore with ${driver}`, async () => {
    const directory = mkdtempSync(join(tmpdir(), "millrace-sqlite-"));
    const open = () => sqliteStore(join(directory, "runs.db"), { driver, durability: "process", pollMs: 50 });
    const stores = [open()];
    return {
      store: stores[0] as ReturnType<typeof open>,
      reopen: async () => {
        const store = open();
        stores.push(store);
        return store;
      },
      dispose: async () => {
        for (const store of stores) await store.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  });
}
