/** `npm start`: kill it while it works, and start it again. It continues, and asks no question twice. */
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { report } from "./flows.js";

const runtime = createRuntime({ workflows: { report }, store: sqliteStore("runs.db") });
await runtime.start();
const topic = process.argv[2] ?? "Rivers";
const questions = ["Which is the longest?", "Which carries the most water?", "Which has the most bridges?"];
const run = runtime.run("report", { topic, questions }, { runId: `report on ${topic}` });
for await (const { event } of run.streamEvents()) console.log(event.type, event.toJSON());
console.log((await run).text);
await runtime.stop();
