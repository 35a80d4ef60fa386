/**
 * What telemetry costs a run: the same runs without it, with `telemetry()` and no SDK, and with an SDK that keeps spans in memory.
 * In turns, each of which begins with another one, and the quickest turn of each counts: what else the machine does only adds to it.
 */

import { runIds, telemetry } from "@millrace/otel";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

const STEPS = 100;
const RUNS = 50;
const TURNS = 31;

class Next extends event("Next", { n: z.number() }) {}

const flow = () =>
  defineWorkflow("chain")
    .step("begin", { on: StartEvent, emits: Next }, async () => new Next({ n: 0 }))
    .step("next", { on: Next, emits: [Next, StopEvent] }, async ({ n }) =>
      n < STEPS ? new Next({ n: n + 1 }) : new StopEvent({ result: n }),
    )
    .build();

const exporter = new InMemorySpanExporter();
const tracerProvider = new TracerProvider({
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  idGenerator: runIds(),
});
const subjects = {
  "without telemetry": flow(),
  "without telemetry, again": flow(),
  "telemetry() and no SDK": flow().use(telemetry()),
  "an SDK in memory": flow().use(telemetry({ tracerProvider, meterProvider: new MeterProvider() })),
};

const times = new Map<string, number[]>();
for (let turn = 0; turn < TURNS; turn++) {
  const all = Object.entries(subjects);
  for (const [name, subject] of [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)]) {
    const startedMs = performance.now();
    for (let run = 0; run < RUNS; run++) await subject.run();
    const stepUs = ((performance.now() - startedMs) * 1e3) / (RUNS * (STEPS + 2));
    exporter.reset();
    if (turn > 0) times.set(name, [...(times.get(name) ?? []), stepUs]);
  }
}

const base = Math.min(...(times.get("without telemetry") ?? []));
for (const [name, all] of times) {
  const stepUs = Math.min(...all);
  console.log(`${name.padEnd(26)} ${stepUs.toFixed(2)} µs a step, × ${(stepUs / base).toFixed(2)}`);
}
