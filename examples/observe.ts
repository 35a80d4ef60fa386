// A run as a tree of spans. `pnpm --filter ./examples observe`
import { runIds, telemetry } from "@millrace/otel";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { type Context, event, retryPolicy, StartEvent, StopEvent, step, Workflow, wait } from "millrace";
import * as z from "zod";

class Quoted extends event("Quoted", { cents: z.number() }) {}

class Trip extends Workflow {
  #failures = 1;

  @step({ on: StartEvent, emits: Quoted, retry: retryPolicy({ wait: wait.fixed("10ms") }) })
  async quote() {
    if (this.#failures-- > 0) throw new TypeError("the airline does not answer");
    return new Quoted({ cents: 12_900 });
  }

  @step({ on: Quoted, emits: StopEvent })
  async book(ev: Quoted, ctx: Context) {
    const receipt = await ctx.run("pay", async () => `paid ${ev.cents} cents`);
    await ctx.sleep("20ms");
    return new StopEvent({ result: receipt });
  }
}

/** Runs a trip, and gives its spans as lines: each below its parent, in the order in which they ended. */
export async function observe(): Promise<string[]> {
  const exporter = new InMemorySpanExporter(); // an app exports to a collector instead
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const tracerProvider = new TracerProvider({ idGenerator: runIds(), spanProcessors });

  await new Trip().use(telemetry({ tracerProvider })).run();

  await tracerProvider.forceFlush();
  return linesBelow(exporter.getFinishedSpans());
}

function linesBelow(spans: readonly ReadableSpan[], parent?: string, depth = 0): string[] {
  return spans
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .sort((left, right) => left.endTime[0] - right.endTime[0] || left.endTime[1] - right.endTime[1])
    .flatMap((span) => {
      const failure = span.attributes["error.type"];
      const line = `${"  ".repeat(depth)}${span.name}${failure === undefined ? "" : ` (${failure})`}`;
      return [line, ...linesBelow(spans, span.spanContext().spanId, depth + 1)];
    });
}

if (import.meta.main) console.log((await observe()).join("\n"));
