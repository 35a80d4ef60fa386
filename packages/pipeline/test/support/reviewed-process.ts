/** Runs until somebody is asked, prints `ready`, and stays. */
import { writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { given, reviewed } from "./reviewed.js";

const { path } = JSON.parse(process.argv[2] as string) as { readonly path: string };
const pipeline = reviewed(sqliteStore(path, { durability: "process" }));
await pipeline.run({ topic: "rivers" }, given);
writeSync(1, "ready\n");
setInterval(() => {}, 1_000);
