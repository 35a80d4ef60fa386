/** One process of the soak. */
import { runWorkload, workloadOptions } from "@millrace/conformance/soak";
import { sqliteStore } from "../src/index.js";

const options = workloadOptions();
const { path = "", durability } = options.place;
// Another one may have been stopped with the lock of the file.
const patience = { pollMs: 50, busyTimeoutMs: 60_000 };
await runWorkload(options, sqliteStore(path, { durability: durability as "power" | "process", ...patience }));
