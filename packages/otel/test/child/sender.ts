/**
 * One of the processes that a trip over PostgreSQL lives in. Sends its spans and metrics over OTLP/HTTP, and prints `asked` when the
 * run waits and what there was to send is sent, `done` when it has ended, and `left` when SIGTERM has made it stop.
 */
import { writeSync } from "node:fs";
import { postgresStore } from "@millrace/postgres";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createRuntime } from "millrace/runtime";
import { runIds, telemetry } from "../../src/index.js";
import { Approval, tripFlow } from "../support/trip.js";

const [connectionString, collector, role] = process.argv.slice(2) as [string, string, string];
const headers = { "x-process": role };
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const traces = new OTLPTraceExporter({ url: `${collector}/v1/traces`, headers });
const tracerProvider = new TracerProvider({
  spanProcessors: [new BatchSpanProcessor({ exporter: traces, scheduledDelayMillis: 100 })],
  idGenerator: runIds(),
});
const metrics = new OTLPMetricExporter({ url: `${collector}/v1/metrics`, headers });
const meterProvider = new MeterProvider({
  readers: [
    new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 200, exportTimeoutMillis: 200 }),
  ],
});
// Once its wait is stored, in this process.
const trip = tripFlow(() => {
  setImmediate(async () => {
    await runtime.handle("trip-1").idle();
    await tracerProvider.forceFlush();
    writeSync(1, "asked\n");
  });
});
const runtime = createRuntime({
  workflows: { trip },
  store: postgresStore({ connectionString, maxConnections: 2 }),
  telemetry: telemetry({ tracerProvider, meterProvider }),
  leaseMs: 2_000,
  log: { info() {}, error() {} },
});
process.once("SIGTERM", async () => {
  await runtime.stop({ drainMs: 0 });
  await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
  writeSync(1, "left\n");
  process.exit();
});
await runtime.start();
if (role === "starts") await runtime.run("trip", {}, { runId: "trip-1" }).accepted;
if (role === "ends") {
  const handle = runtime.handle("trip-1");
  await handle.sendEvent(new Approval({ by: "ada" }));
  await handle;
  await tracerProvider.forceFlush();
  writeSync(1, "done\n");
}
