/** Executes the runs, and the jobs, of a schema. */
import { workOn } from "@millrace/conformance/bulk-worker";
import { postgresStore } from "../../src/index.js";

const [connectionString, schema] = process.argv.slice(2) as [string, string];
await workOn(postgresStore({ connectionString, schema, pollMs: 50 }));
