import { defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Odd extends event("Odd", { big: z.bigint(), at: z.date(), map: z.map(z.string(), z.number()) }) {}
class Ask extends InputRequiredEvent.define("Ask", { big: z.bigint() }) {}
class Yes extends HumanResponseEvent.define("Yes", { ok: z.boolean() }) {}

/** Shows, asks and gives what JSON cannot hold. */
export const odd = defineWorkflow("odd")
  .step("go", { on: StartEvent, emits: StopEvent, streams: [Odd, Ask], waits: Yes }, async (_start, ctx) => {
    ctx.writeEventToStream(new Odd({ big: 10n, at: new Date(0), map: new Map([["a", 1]]) }));
    await ctx.waitForEvent(Yes, { prompt: new Ask({ big: 11n }) });
    return new StopEvent({ result: { big: 12n, set: new Set([1]) } });
  })
  .build();
