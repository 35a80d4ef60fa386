/** Prints `ready`; on a line of input starts its runs, all at once, or goes on with them. Prints `done` when all have ended. */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { type Death, Mortality, mortalStore } from "./mortality.js";
import { sessionId, shopping } from "./shopping.js";

export interface ShoppingProcess {
  readonly path: string;
  readonly items: readonly string[];
  readonly death: Death | null;
}

const { path, items, death } = JSON.parse(process.argv[2] as string) as ShoppingProcess;
const pipeline = shopping(mortalStore(sqliteStore(path, { durability: "process" }), new Mortality(death)));
writeSync(1, "ready\n");
await once(process.stdin, "data");
await pipeline.start();
await Promise.all(items.map((item) => pipeline.run(item, { runId: item, sessionId })));
await pipeline.close();
writeSync(1, "done\n");
process.exit(0);
