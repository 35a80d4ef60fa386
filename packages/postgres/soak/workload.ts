/** One process of the soak. */
import { runWorkload, workloadOptions } from "@millrace/conformance/soak";
import { postgresStore } from "../src/index.js";
import { reviewed } from "./reviewed.js";

const options = workloadOptions();
const { connectionString = "", schema = "" } = options.place;
// As patient as a restart of the server under load takes.
const store = postgresStore({ connectionString, schema, maxConnections: 4, pollMs: 100, retryMs: 60_000 });
await runWorkload(options, store, reviewed);
