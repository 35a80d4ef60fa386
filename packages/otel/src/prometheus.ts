/**
 * `@millrace/otel/prometheus`: the metrics of this process as the text that Prometheus reads, for `createServer({ metrics })`.
 *
 * @module
 */
import { type PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";

/** What a server shows at `GET /metrics`. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * @param exporter A reader of the SDK's `MeterProvider` that opens no port.
 * @example
 * const exporter = new PrometheusExporter({ preventServerStart: true });
 * const meterProvider = new MeterProvider({ readers: [exporter] });
 * createServer({ runtime, metrics: prometheusMetrics(exporter) });
 */
export function prometheusMetrics(exporter: Pick<PrometheusExporter, "collect">): MetricsText {
  const serializer = new PrometheusSerializer();
  return {
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    async text() {
      const { resourceMetrics, errors } = await exporter.collect();
      // One gauge that fails, such as that of a store that does not answer, must not hide the others.
      const lines = errors.map((error) => `# ${String(error).replace(/\s+/g, " ").slice(0, 200)}\n`);
      return lines.join("") + serializer.serialize(resourceMetrics);
    },
  };
}
