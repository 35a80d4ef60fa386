import { type Context, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Claim extends StartEvent.define("Claim", { order: z.string(), euros: z.number() }) {}
class ApproveRefund extends InputRequiredEvent.define("ApproveRefund", { order: z.string(), euros: z.number() }) {}
class RefundDecision extends HumanResponseEvent.define("RefundDecision", { approved: z.boolean() }) {}

class RefundFlow extends Workflow {
  @step({ on: Claim, emits: StopEvent, waits: RefundDecision, streams: ApproveRefund })
  async refund({ order, euros }: Claim, ctx: Context) {
    const { approved } = await ctx.waitForEvent(RefundDecision, { prompt: new ApproveRefund({ order, euros }) });
    return new StopEvent({ result: approved ? `${order}: refunded ${euros} euros` : `${order}: refused` });
  }
}

const handler = new RefundFlow().run({ order: "A-17", euros: 80 });
const outcome = await handler.idle();
if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}, not waiting.`);

for (const { promptId, event } of outcome.prompts) {
  console.log("It asks:", event.type, event);
  await handler.answer(promptId, { approved: true });
}
console.log(await handler);
