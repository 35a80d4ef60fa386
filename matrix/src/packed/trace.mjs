/** A run with telemetry: prints the names of its spans. */
import { runIds, telemetry } from "@millrace/otel";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";

const names = [];
const exporter = {
  export(spans, done) {
    names.push(...spans.map(({ name }) => name));
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const tracerProvider = new TracerProvider({
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  idGenerator: runIds(),
});
const greeting = defineWorkflow("greeting")
  .step("greet", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "Hello" }))
  .build();
greeting.use(telemetry({ tracerProvider }));
await greeting.run();
await tracerProvider.forceFlush();
console.log(`${process.version.slice(1, 3)}: ${names.join(", ")}`);
