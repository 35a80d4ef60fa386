import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { z } from "zod";

export const movedRuns: readonly string[] = Array.from({ length: 40 }, (_, n) => `run-${n}`);

export class Ask extends InputRequiredEvent.define("Ask", { filler: z.string() }) {}
export class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

/** Shows a text that is a blob of its own in a store, and waits. */
export const asking = defineWorkflow("asking")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
    const prompt = new Ask({ filler: "x".repeat(200_000) });
    const { text } = await ctx.waitForEvent(Said, { prompt });
    return new StopEvent({ result: text });
  })
  .build();
