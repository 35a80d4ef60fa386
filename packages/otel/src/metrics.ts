/** The instruments of {@link metricFacts}, created once an SDK is registered. */
import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import type { ObservedRuntime } from "millrace/runtime";
import { attributes, type CounterName, type HistogramName, metricFacts } from "./names.js";
import type { Providers } from "./providers.js";
import { quietly } from "./quietly.js";

/** Most runs of one tenant that are counted. */
const MOST_COUNTED = 1_000;

interface Instruments {
  readonly counters: { readonly [Name in CounterName]: Counter };
  readonly histograms: { readonly [Name in HistogramName]: Histogram };
}

export class Metrics {
  readonly #providers: Providers;
  readonly #queueDepthEveryMs: number;
  readonly #runtimes: Set<RuntimeGauges> = new Set();
  #instruments: Instruments | null = null;

  constructor(providers: Providers, queueDepthEveryMs: number) {
    this.#providers = providers;
    this.#queueDepthEveryMs = queueDepthEveryMs;
  }

  count(name: CounterName, labels: Attributes): void {
    quietly(() => this.#open()?.counters[name].add(1, labels), undefined);
  }

  record(name: HistogramName, value: number, labels: Attributes): void {
    quietly(() => this.#open()?.histograms[name].record(value, labels), undefined);
  }

  /** Returns a function to call when the runtime has stopped. */
  watch(runtime: ObservedRuntime): () => void {
    const gauges = new RuntimeGauges(runtime, this.#queueDepthEveryMs);
    this.#runtimes.add(gauges);
    quietly(() => this.#open(), null);
    return () => void this.#runtimes.delete(gauges);
  }

  #open(): Instruments | null {
    if (this.#instruments !== null) return this.#instruments;
    const { meter } = this.#providers;
    if (meter === null) return null;
    this.#instruments = {
      counters: instrumentsOf("counter", (name, options) => meter.createCounter(name, options)),
      histograms: instrumentsOf("histogram", (name, options) => meter.createHistogram(name, withBuckets(options))),
    } as Instruments;
    this.#openGauges(meter);
    return this.#instruments;
  }

  #openGauges(meter: Meter): void {
    const { "millrace.runtime.run.count": runs, "millrace.queue.depth": depth } = metricFacts;
    meter.createObservableUpDownCounter("millrace.runtime.run.count", optionsOf(runs)).addCallback((result) => {
      let sum = 0;
      for (const { runtime } of this.#runtimes) sum += runtime.runsInMemory;
      if (this.#runtimes.size > 0) result.observe(sum);
    });
    meter.createObservableGauge("millrace.queue.depth", optionsOf(depth)).addCallback(async (result) => {
      for (const gauges of this.#runtimes)
        for (const [queue, waiting] of await gauges.depths()) result.observe(waiting, { [attributes.queue]: queue });
    });
  }
}

/** Depths of queues. A store counts its rows for each read, so reads are limited in time. */
class RuntimeGauges {
  readonly runtime: ObservedRuntime;
  readonly #everyMs: number;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #depths: Promise<readonly (readonly [string, number])[]> = Promise.resolve([]);

  constructor(runtime: ObservedRuntime, everyMs: number) {
    this.runtime = runtime;
    this.#everyMs = everyMs;
  }

  depths(): Promise<readonly (readonly [string, number])[]> {
    const nowMs = performance.now();
    if (nowMs - this.#askedAtMs < this.#everyMs) return this.#depths;
    this.#askedAtMs = nowMs;
    const { queues } = this.runtime;
    this.#depths = Promise.all(
      queues.map(async (queue) => [queue, await this.runtime.queueDepth(queue, MOST_COUNTED)] as const),
    );
    return this.#depths;
  }
}

interface InstrumentOptions {
  readonly unit: string;
  readonly description: string;
}

function instrumentsOf(kind: string, make: (name: string, options: InstrumentOptions) => unknown): object {
  const named = Object.entries(metricFacts).filter(([, facts]) => facts.kind === kind);
  return Object.fromEntries(named.map(([name, facts]) => [name, make(name, optionsOf(facts))]));
}

function optionsOf({ unit, description }: InstrumentOptions): InstrumentOptions {
  return { unit, description };
}

/** Buckets in seconds, from half a millisecond to a day. The default buckets of the SDK suit milliseconds. */
const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 86_400];
const counts = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

function withBuckets(options: InstrumentOptions) {
  return { ...options, advice: { explicitBucketBoundaries: options.unit === "s" ? seconds : counts } };
}
