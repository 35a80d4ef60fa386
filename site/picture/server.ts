/** The process that the moving picture of the README kills. Arguments: the file of its store, its port. */
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { studioFile } from "@millrace/studio";
import { createRuntime } from "millrace/runtime";
import { report } from "./report.ts";

const [file = "", port] = process.argv.slice(2);
const runtime = createRuntime({ workflows: { report }, store: sqliteStore(file), leaseMs: 2_000 });
await runtime.start();
serve({ fetch: createServer({ runtime, studio: studioFile }).fetch, port: Number(port), hostname: "127.0.0.1" }, () => {
  console.log("listens");
});
