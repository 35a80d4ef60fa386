import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

export const refund = defineWorkflow("refund")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const schema = { approved: z.boolean() };
    const { approved } = await ctx.ask({ title: "Refund 5 €?", details: { order: "A-17" }, schema });
    return new StopEvent({ result: approved ? "refunded" : "refused" });
  })
  .build();
