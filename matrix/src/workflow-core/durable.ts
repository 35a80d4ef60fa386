/** The same workflow in a file: the first process dies while the run waits for a person, the second one brings the answer. */
import { durable, toEvent } from "@llamaindex/workflow-core/durable";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { approved, done, order, workflow } from "./order.ts";

const orders = durable(workflow, { start: order, stop: done, external: [approved] });

const runtime = createRuntime({ workflows: { orders }, store: sqliteStore("runs.db"), leaseMs: 500 });
await runtime.start();
if (process.argv[2] === "begin") {
  await runtime.run("orders", { data: "A-17" }, { runId: "order-A-17" }).idle();
  console.log("waits, and dies");
  process.kill(process.pid, "SIGKILL");
}
const run = runtime.handle<string>("order-A-17");
await run.sendEvent(toEvent(orders, approved.with(true)));
console.log("continued:", await run);
await runtime.stop();
