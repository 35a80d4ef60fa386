/** Orders that wait for an approval, over a file of SQLite: `node order-process.ts DATABASE LOG`. */
import { appendFileSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { durable, toEvent } from "../../src/entries/durable.js";
import { createStatefulMiddleware } from "../../src/entries/state.js";
import { createWorkflow, workflowEvent } from "../../src/index.js";

const [, , database = "", log = ""] = process.argv;

const order = workflowEvent<string>({ debugLabel: "order" });
const approved = workflowEvent<boolean>({ debugLabel: "approved" });
const done = workflowEvent<string>({ debugLabel: "done" });

const { withState } = createStatefulMiddleware(() => ({ order: "" }));
const workflow = withState(createWorkflow());
workflow.handle([order], async ({ state }, { data }) => {
  appendFileSync(log, `asked for ${data}\n`);
  state.order = data;
});
workflow.handle([approved], async ({ state }, { data }) =>
  done.with(`${state.order}: ${data ? "shipped" : "refused"}`),
);
const orders = durable(workflow, { start: order, stop: done, external: [approved] });

const runtime = createRuntime({ workflows: { orders }, store: sqliteStore(database), leaseMs: 500 });
await runtime.start();

process.on("message", async (message) => {
  if (message === "begin") {
    const run = runtime.run("orders", { data: "A-17" }, { runId: "r1" });
    await run.idle();
    process.send?.("waiting");
  } else {
    const run = runtime.handle<string>("r1");
    await run.sendEvent(toEvent(orders, approved.with(true)));
    process.send?.({ result: await run });
    await runtime.stop();
    process.disconnect();
  }
});
process.send?.("ready");
