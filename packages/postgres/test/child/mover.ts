/** Moves every run of one schema into another. */
import { moveAll } from "@millrace/conformance/moving";
import { postgresStore } from "../../src/index.js";

const [connectionString, from, to, how] = process.argv.slice(2) as [string, string, string, string];
const open = (schema: string) => postgresStore({ connectionString, schema, pollMs: 50 });
await moveAll({ from: open(from), to: open(to) }, how);
