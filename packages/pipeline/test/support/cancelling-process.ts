/** Starts a run, prints `waits` when it does, cancels it or has others do that, and prints how it has ended. */
import { writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { cancelling, runId, sessionId } from "./cancelling.js";
import { Gate } from "./gate.js";
import { type Death, Mortality, mortalStore } from "./mortality.js";

export interface CancellingProcess {
  readonly path: string;
  /** Null: it neither cancels nor dies. */
  readonly death: Death | null;
}

const { path, death } = JSON.parse(process.argv[2] as string) as CancellingProcess;
const mortality = new Mortality(null);
const waiting = new Gate();
const pipeline = cancelling(mortalStore(sqliteStore(path, { durability: "process" }), mortality), waiting.pass);
const run = pipeline.run("item", { runId, sessionId });
await waiting.passed;
writeSync(1, "waits\n");
if (death !== null) {
  for await (const { event } of run.events()) if (event === "StepOutput") break; // all that the step has left is stored
  mortality.begin(death);
  await run.cancel("enough");
}
const { status } = await run;
await pipeline.close();
writeSync(1, `${status}\n`);
