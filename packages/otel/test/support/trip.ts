/** A run with everything in it: a fan-out, a retry, effects, a child, and a wait that lasts over processes. */
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  wait,
} from "millrace";
import * as z from "zod";

class Leg extends event("Leg", { n: z.number() }) {}
class Booked extends event("Booked", { n: z.number() }) {}
class Ready extends event("Ready") {}
export class Approval extends HumanResponseEvent.define("Approval", { by: z.string() }) {}

/** @param onAsked Called when it is about to wait. */
export function tripFlow(onAsked: () => void) {
  let failures = 1;
  const visa = defineWorkflow("visa")
    .step("apply", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
      await ctx.sleep(1);
      return new StopEvent({ result: "granted" });
    })
    .build();
  return defineWorkflow("trip", { children: { visa } })
    .step("split", { on: StartEvent, emits: many(Leg) }, async (_, ctx) => {
      const count = await ctx.run("quote", async () => 3);
      return Array.from({ length: count }, (_unused, n) => new Leg({ n }));
    })
    .step("book", { on: Leg, emits: Booked, retry: retryPolicy({ wait: wait.fixed(1) }) }, async ({ n }) => {
      if (n === 1 && failures-- > 0) throw new TypeError("full");
      return new Booked({ n });
    })
    .step("gather", { on: collect(Booked), emits: Ready }, async () => new Ready())
    .step("approve", { on: Ready, waits: Approval, emits: StopEvent }, async (_, ctx) => {
      await ctx.run("pay", async () => 7);
      const result = await ctx.runChild(visa);
      onAsked();
      const { by } = await ctx.waitForEvent(Approval);
      return new StopEvent({ result: `${result} by ${by}` });
    })
    .build();
}
