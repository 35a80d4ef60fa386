import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunStore, type Runtime, type RuntimeOptions } from "millrace/runtime";
import { z } from "zod";

export const movedRuns: readonly string[] = Array.from({ length: 40 }, (_, n) => `run-${n}`);

class Ask extends InputRequiredEvent.define("Ask", { filler: z.string() }) {}
export class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

/** Shows a text that becomes a blob in a store, and waits. */
const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
    const prompt = new Ask({ filler: "x".repeat(200_000) });
    const { text } = await ctx.waitForEvent(Said, { prompt });
    return new StopEvent({ result: text });
  })
  .build();

export function openRuntime(store: RunStore, options: Pick<RuntimeOptions<never>, "execute"> = {}): Runtime {
  return createRuntime({ workflows: { asking }, store, idleReleaseMs: 0, ...options }) as never;
}
