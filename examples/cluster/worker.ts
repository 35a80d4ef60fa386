// One of the workers that main.ts starts: it begins some runs, and takes up those of workers that are gone.
import { postgresStore } from "@millrace/postgres";
import { createRuntime } from "millrace/runtime";
import { SlowFlow } from "./workflow.js";

const [worker = "", connectionString = "", schema = "", ...runIds] = process.argv.slice(2);
process.on("disconnect", () => process.exit(1)); // who has started it is gone

const runtime = createRuntime({
  workflows: { slow: new SlowFlow(worker) },
  store: postgresStore({ connectionString, schema }),
  leaseMs: 2_000, // so soon do others take up its runs
});
await runtime.start();
await Promise.all(runIds.map((runId) => runtime.run("slow", {}, { runId }).accepted));
process.send?.("ready");
