import { defineWorkflow, StartEvent, StopEvent } from "millrace";

export const nap = defineWorkflow("nap")
  .step("nap", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep(500);
    return new StopEvent({ result: "rested" });
  })
  .build();
