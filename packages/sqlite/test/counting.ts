/** A workflow that shows each number that it has come to, for tests with several processes. */
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

export const LAST = 12;

export class Next extends event("Next", { number: z.number() }) {}
export class Reached extends event("Reached", { number: z.number(), pid: z.number() }) {}

export const counting = {
  count: defineWorkflow("count")
    .step("begin", { on: StartEvent, emits: Next }, () => new Next({ number: 1 }))
    .step("go", { on: Next, emits: [Next, StopEvent], streams: Reached }, async ({ number }, ctx) => {
      ctx.writeEventToStream(new Reached({ number, pid: process.pid }));
      await ctx.sleep(25);
      return number === LAST ? new StopEvent({ result: number }) : new Next({ number: number + 1 });
    })
    .build(),
};
