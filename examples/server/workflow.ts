import { event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Refund extends StartEvent.define("Refund", { order: z.string(), euros: z.number() }) {}
class Checked extends event("Checked", { order: z.string(), euros: z.number() }) {}
class Approve extends InputRequiredEvent.define("Approve", { euros: z.number() }) {}
class Approval extends HumanResponseEvent.define("Approval", { approved: z.boolean() }) {}

class RefundFlow extends Workflow {
  check = step({ on: Refund, emits: Checked, streams: Checked }, ({ order, euros }, ctx) => {
    const checked = new Checked({ order, euros });
    ctx.writeEventToStream(checked);
    return checked;
  });

  refund = step({ on: Checked, emits: StopEvent, waits: Approval, streams: Approve }, async ({ order, euros }, ctx) => {
    const { approved } = await ctx.waitForEvent(Approval, { prompt: new Approve({ euros }) });
    return new StopEvent({ result: approved ? `${euros} euros for ${order}` : "nothing" });
  });
}

export const workflows = { refund: new RefundFlow() };
