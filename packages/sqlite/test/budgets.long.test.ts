import { budgetSuite } from "@millrace/conformance/budgets";
import { casesOf } from "../../../test-share.js";
import { Child } from "./child/process.js";
import { openStore, temporaryFile } from "./files.js";

budgetSuite(
  "sqliteStore",
  () => {
    const path = temporaryFile();
    return { open: () => openStore(path), start: (url, runs) => new Child("spender.ts", [path, url, String(runs)]) };
  },
  { runs: casesOf(1_000), processes: 4, kills: 12 },
);
