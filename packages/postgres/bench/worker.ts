/** A worker: a runtime of its own process, which ends when its input does. */
import { setTimeout as sleep } from "node:timers/promises";
import { postgresStore } from "@millrace/postgres";
import { createRuntime } from "millrace/runtime";
import { ioMs, places, workOf } from "./work.ts";

const [connectionString, schema] = process.argv.slice(2) as [string, string];
let free = places;
const waiting: (() => void)[] = [];

/** As a pool of connections to a slow service would: so many calls at a time in each process. */
async function call(): Promise<void> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  await sleep(ioMs);
  const next = waiting.shift();
  if (next === undefined) free++;
  else next();
}

const runtime = createRuntime({
  workflows: { work: workOf(call) },
  maxConcurrentRuns: 2 * places,
  store: postgresStore({ connectionString, schema }),
});
await runtime.start();
process.send?.("ready");
process.on("disconnect", () => void runtime.stop().then(() => process.exit(0)));
