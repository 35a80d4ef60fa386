import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killedMovesSuite } from "@millrace/conformance/moving";
import { sqliteStore } from "../src/index.js";
import { Child } from "./child/process.js";
import { patienceMs } from "./runs.js";

killedMovesSuite(() => {
  const directory = mkdtempSync(join(tmpdir(), "millrace-moving-"));
  const paths = { from: join(directory, "from.db"), to: join(directory, "to.db") };
  return {
    open: (place) => sqliteStore(paths[place], { durability: "process", busyTimeoutMs: patienceMs }),
    mover: (how) => new Child("mover.ts", [paths.from, paths.to, how]),
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  };
});
