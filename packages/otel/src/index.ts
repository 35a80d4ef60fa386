/**
 * OpenTelemetry for workflows: one trace per run, also across processes, metrics of runs and runtimes, and GenAI attributes of agents.
 *
 * @module
 */
export { telemetry } from "./telemetry.js";
export type { TelemetryOptions } from "./telemetry.js";
export type { Redact, ReportedError } from "./providers.js";
export { runIds } from "./run-ids.js";
export type { SpanIds } from "./run-ids.js";
export { traceHeaders } from "./trace-headers.js";
export { attributes, metricFacts, spanFacts } from "./names.js";
export type { MetricFacts, MetricName, SpanFacts } from "./names.js";
