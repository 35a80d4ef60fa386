/**
 * One of the processes that a trip lives in. Writes every span that it exports as a line of the file, and prints `asked` when the run
 * waits, and `done` when it has ended.
 */
import { appendFileSync, writeSync } from "node:fs";
import { sqliteStore } from "@millrace/sqlite";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { SimpleSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { createRuntime } from "millrace/runtime";
import { runIds, telemetry } from "../../src/index.js";
import { seen } from "../support/sdk.js";
import { Approval, tripFlow } from "../support/trip.js";

const [store, file, role, traceparent] = process.argv.slice(2) as [string, string, string, string];
const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(file, `${JSON.stringify({ ...seen(span), pid: process.pid })}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracerProvider = new TracerProvider({
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  ...(role !== "without ids" && { idGenerator: runIds() }),
});
// Once its wait is stored, in this process.
const trip = tripFlow(() => {
  setImmediate(async () => {
    await runtime.handle("trip-1").idle();
    writeSync(1, "asked\n");
  });
});
const runtime = createRuntime({
  workflows: { trip },
  store: sqliteStore(store, { durability: "process", busyTimeoutMs: 30_000 }),
  telemetry: telemetry({ tracerProvider }),
  leaseMs: 500,
  log: { info() {}, error() {} },
});
await runtime.start();
if (role === "starts") await runtime.run("trip", {}, { runId: "trip-1", trace: { traceparent } }).accepted;
if (role === "ends") {
  const handle = runtime.handle("trip-1");
  await handle.sendEvent(new Approval({ by: "ada" }));
  await handle;
  await tracerProvider.forceFlush();
  writeSync(1, "done\n");
}
