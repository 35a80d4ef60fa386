/** A process that runs an agent to its end, if nobody kills it: on a file of SQLite, or a schema of PostgreSQL. */
import { postgresStore } from "@millrace/postgres";
import { sqliteStore } from "@millrace/sqlite";
import type { DefinedWorkflow } from "millrace";
import { createRuntime } from "millrace/runtime";
import { type Mode, workOf } from "./agent-flows.js";

const [, , mode = "workflow", place = "", url = "", log = "", desk = ""] = process.argv as [
  string,
  string,
  Mode,
  ...string[],
];

function storeAt(address: string) {
  const [connectionString = "", schema = ""] = address.split("#");
  if (schema === "") return sqliteStore(address);
  return postgresStore({ connectionString, schema, pollMs: 50, maxConnections: 4 });
}

const { flow: work, input } = workOf({ url, log, desk }, mode);
const flow = work as DefinedWorkflow<object, unknown>;
const runtime = createRuntime({ workflows: { flow }, store: storeAt(place), leaseMs: 1_000 });
await runtime.start();
const result = await runtime.run("flow", input, { runId: "r1" });
console.log(`RESULT ${JSON.stringify(result)}`);
await runtime.stop();
