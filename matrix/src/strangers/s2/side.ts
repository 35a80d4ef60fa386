/** A side chain of two steps, which ends in a step that emits nothing. */
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";

class Main extends event("Main", {}) {}
class Side extends event("Side", {}) {}
class Further extends event("Further", {}) {}

const seen: string[] = [];
const flow = defineWorkflow("side")
  .step("begin", { on: StartEvent, emits: [Main, Side] }, (_ev, ctx) => {
    ctx.sendEvent(new Side());
    return new Main();
  })
  .step("a", { on: Side, emits: Further }, () => new Further())
  .step("b", { on: Further, emits: [] }, () => void seen.push("b"))
  .step("end", { on: Main, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep(50);
    return new StopEvent({ result: "completed" });
  })
  .build();

console.log(`${await flow.run()}, side chain: ${seen}`);
