// The server: `tsx server/serve.ts <file> <port>`. It says on which port it listens.
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { workflows } from "./workflow.js";

const [file = "refunds.db", port = "8080"] = process.argv.slice(2);
const runtime = createRuntime({ workflows, store: sqliteStore(file) });
await runtime.start(); // continues the runs that a crash interrupted

const app = createServer({ runtime });
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, (address) => console.log(address.port));
