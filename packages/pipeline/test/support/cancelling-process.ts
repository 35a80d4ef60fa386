/** Starts a run, cancels it, and prints `cancelled`. */
import { writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { cancelling, runId, sessionId } from "./cancelling.js";
import { Gate } from "./gate.js";
import { type Death, Mortality, mortalStore } from "./mortality.js";

const { path, death } = JSON.parse(process.argv[2] as string) as { readonly path: string; readonly death: Death };
const mortality = new Mortality(null);
const waiting = new Gate();
const pipeline = cancelling(mortalStore(sqliteStore(path, { durability: "process" }), mortality), waiting.pass);
const run = pipeline.run("item", { runId, sessionId });
await waiting.passed;
mortality.begin(death);
const { status } = await run.cancel("enough");
await pipeline.close();
writeSync(1, `${status}\n`);
