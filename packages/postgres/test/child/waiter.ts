/** Waits over a schema. */
import { waitElsewhere } from "@millrace/conformance/waiting";
import { postgresStore } from "../../src/index.js";

const [name, connectionString, schema] = process.argv.slice(2) as [string, string, string];
await waitElsewhere(name, () => postgresStore({ connectionString, schema, pollMs: 50 }));
