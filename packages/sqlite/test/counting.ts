/** A workflow that shows each number that it has come to, and waits at one of them, for tests with several processes. */
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

export const WAITS_AT = 4;
export const LAST = 8;

export class Next extends event("Next", { number: z.number() }) {}
export class Reached extends event("Reached", { number: z.number(), pid: z.number() }) {}
export class GoOn extends ExternalEvent.define("GoOn", {}) {}

export const counting = {
  at: defineWorkflow("at")
    .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "there" }))
    .build(),
  count: defineWorkflow("count")
    .step("begin", { on: StartEvent, emits: Next }, () => new Next({ number: 1 }))
    .step("go", { on: Next, emits: [Next, StopEvent], waits: GoOn, streams: Reached }, async ({ number }, ctx) => {
      ctx.writeEventToStream(new Reached({ number, pid: process.pid }));
      if (number === WAITS_AT) await ctx.waitForEvent(GoOn);
      return number === LAST ? new StopEvent({ result: number }) : new Next({ number: number + 1 });
    })
    .build(),
};
