/** A worker: one import at a time, every night at two. `npm start -- now` imports at once. */
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { nightly } from "./flows.js";

const runtime = createRuntime({
  workflows: { nightly },
  store: sqliteStore("runs.db"),
  queues: { imports: { concurrency: 1 } },
});
await runtime.start();
await runtime.schedules.set("nightly import", {
  cron: "0 2 * * *",
  timezone: "Europe/Berlin",
  workflow: "nightly",
  queue: "imports",
  overlap: "skip",
});
if (process.argv.includes("now")) {
  const { stored, bad } = await runtime.run("nightly", {}, { queue: "imports" });
  console.log(`${stored} rows stored, ${bad.length} bad`);
  await runtime.stop();
} else {
  const [next] = await runtime.schedules.next("nightly import");
  console.log(`next import: ${next?.toISOString()}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void runtime.stop({ drainMs: 10_000 }));
}
