/** Moves every run of one file into another. */
import { moveAll } from "@millrace/conformance/moving";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [from, to, how] = process.argv.slice(2) as [string, string, string];
const open = (path: string) => sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs });
await moveAll({ from: open(from), to: open(to) }, how);
