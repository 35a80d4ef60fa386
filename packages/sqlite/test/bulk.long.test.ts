import { bulkSuite } from "@millrace/conformance/bulk";
import { casesOf } from "../../../test-share.js";
import { Child } from "./child/process.js";
import { openStore, temporaryFile } from "./files.js";

bulkSuite(
  "sqliteStore",
  () => {
    const path = temporaryFile();
    return { open: () => openStore(path, { pollMs: 50 }), start: () => new Child("bulk-worker.ts", [path]) };
  },
  casesOf(10_000),
);
