/** Waits over a file. */
import { waitElsewhere } from "@millrace/conformance/waiting";
import { sqliteStore } from "../../src/index.js";

const [name, path] = process.argv.slice(2) as [string, string];
await waitElsewhere(name, () => sqliteStore(path, { durability: "process" }));
