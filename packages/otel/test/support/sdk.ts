/** The SDK of OpenTelemetry, with what it exports in memory. */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { runIds, type TelemetryOptions, telemetry } from "../../src/index.js";
import { prometheusMetrics } from "../../src/prometheus.js";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

export interface SdkOptions extends TelemetryOptions {
  /** @default true */
  readonly withRunIds?: boolean;
  readonly sampler?: Sampler;
}

export function openSdk({ withRunIds = true, sampler, ...options }: SdkOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(withRunIds && { idGenerator: runIds() }),
    ...(sampler && { sampler }),
  });
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    tracerProvider,
    telemetry: telemetry({ tracerProvider, meterProvider, ...options }),
    metrics: prometheusMetrics(reader),
    spans: async (): Promise<SpanWithErrors[]> => {
      await tracerProvider.forceFlush();
      return exporter.getFinishedSpans().map(seen);
    },
  };
}

/** A span, as plain data. */
export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: { readonly [name: string]: unknown };
  readonly links: readonly { readonly spanId: string; readonly why: unknown }[];
  readonly hasFailed: boolean;
}

export interface SpanWithErrors extends SeenSpan {
  /** Message of its status, then those of its exceptions with their stacks. */
  readonly errorTexts: readonly unknown[];
}

export function seen(span: ReadableSpan): SpanWithErrors {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    startMs: span.startTime[0] * 1e3 + span.startTime[1] / 1e6,
    endMs: span.endTime[0] * 1e3 + span.endTime[1] / 1e6,
    attributes: { ...span.attributes },
    links: span.links.map(({ context: { spanId: to }, attributes = {} }) => ({
      spanId: to,
      why: attributes["millrace.link"],
    })),
    hasFailed: span.status.code === 2,
    errorTexts: [
      ...(span.status.message === undefined ? [] : [span.status.message]),
      ...span.events.flatMap(({ attributes: { "exception.message": message, "exception.stacktrace": stack } = {} }) =>
        stack === undefined ? [message] : [message, stack],
      ),
    ],
  };
}

/** What is wrong with these spans as one trace. */
export function traceProblems(spans: readonly SeenSpan[], remote: string | null = null): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const traces = new Set(spans.map(({ traceId }) => traceId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null);
  return [
    ...(traces.size === 1 ? [] : [`${traces.size} traces`]),
    ...(ids.size === spans.length ? [] : [`${spans.length - ids.size} span ids twice`]),
    ...(roots.length === (remote === null ? 1 : 0) ? [] : [`${roots.length} roots`]),
    ...spans
      .filter(({ parentSpanId: parent }) => parent !== null && parent !== remote && !ids.has(parent))
      .map(({ name }) => `"${name}" has a parent that is not there`),
  ];
}

/** The names of the spans, each below its parent, in the order of their start. */
export function treeOf(spans: readonly SeenSpan[], remote: string | null = null): string[] {
  const below = (parent: string | null, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .sort((left, right) => left.startMs - right.startMs || left.name.localeCompare(right.name))
      .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...below(span.spanId, depth + 1)]);
  return below(remote, 0);
}
