/** Starts a run, prints `spoke` when its text is stored, and stays. */
import { writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { runId, speaking } from "./speaking.js";

const { path } = JSON.parse(process.argv[2] as string) as { readonly path: string };
const pipeline = speaking(sqliteStore(path, { durability: "process" }), () => {});
const run = pipeline.run("x", { runId, streamEvents: true });
for await (const { event } of run.events()) if (event === "RunContent") break; // what a reader sees is stored
writeSync(1, "spoke\n");
setInterval(() => {}, 1_000);
