import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Claim extends StartEvent.define("Claim", { order: z.string(), euros: z.number() }) {}

/** A refund that a person approves, today or after the next deployment. */
export const refund = defineWorkflow("refund")
  .step("ask", { on: Claim, emits: StopEvent }, async ({ order, euros }, ctx) => {
    const schema = { approved: z.boolean() };
    const { approved } = await ctx.ask({ title: `Refund ${euros} euros?`, details: { order }, schema });
    return new StopEvent({ result: approved ? `refunded ${order}` : `refused ${order}` });
  })
  .build();
