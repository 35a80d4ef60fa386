/** Spends over a schema, until it is killed. */
import { spend } from "@millrace/conformance/spender";
import { postgresStore } from "../../src/index.js";

const [url, connectionString, schema, runs] = process.argv.slice(2) as [string, string, string, string];
await spend(postgresStore({ connectionString, schema, pollMs: 50 }), { url, runs: Number(runs) });
