/** A collector of the test: takes what exporters of OTLP/HTTP send as JSON. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { SeenSpan } from "./sdk.js";

/** @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
}
type KeyValues = readonly { readonly key: string; readonly value: AnyValue }[];

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: KeyValues;
  readonly links?: readonly { readonly spanId: string; readonly attributes?: KeyValues }[];
  readonly status?: { readonly code?: number };
}

interface OtlpMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asInt?: number | string; readonly asDouble?: number }[] };
}

interface OtlpBody {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

export interface ReceivedSpan extends SeenSpan {
  /** The exporter names it in the header `x-process`. */
  readonly from: string;
}

export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly #counts: Map<string, number> = new Map();
  readonly #server = createServer(async (request, response) => {
    const body = (await json(request)) as OtlpBody;
    const from = String(request.headers["x-process"]);
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...seenSpan(span), from })));
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { metrics } of scopeMetrics) for (const metric of metrics) this.#count(metric, from);
    response.setHeader("content-type", "application/json").end("{}");
  });

  static async open(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The last value of a counter that a process has sent, over all of its attributes. */
  counter(name: string, from: string): number {
    return this.#counts.get(`${from} ${name}`) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #count({ name, sum }: OtlpMetric, from: string): void {
    const values = sum?.dataPoints.map(({ asInt, asDouble }) => Number(asInt ?? asDouble)) ?? [];
    if (sum !== undefined)
      this.#counts.set(
        `${from} ${name}`,
        values.reduce((total, value) => total + value, 0),
      );
  }
}

function seenSpan(span: OtlpSpan): SeenSpan {
  const { name, traceId, spanId, parentSpanId = "", attributes = [], links = [], status } = span;
  return {
    name,
    traceId,
    spanId,
    parentSpanId: parentSpanId === "" ? null : parentSpanId,
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    attributes: plain(attributes),
    links: links.map(({ spanId: to, attributes: facts = [] }) => ({ spanId: to, why: plain(facts)["millrace.link"] })),
    hasFailed: status?.code === 2,
  };
}

function plain(attributes: KeyValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): unknown {
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? boolValue ?? doubleValue ?? arrayValue?.values.map(plainValue);
}
