/** Workflows for tests, in the form that Node runs as it is. */
import {
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

class Add extends StartEvent.define("Add", { left: z.number(), right: z.number().default(1) }) {}
class Sum extends StopEvent.define("Sum", { sum: z.number() }) {}
const add = defineWorkflow("add")
  .step("add", { on: Add, emits: Sum }, ({ left, right }) => new Sum({ sum: left + right }))
  .build();

class ApproveRefund extends InputRequiredEvent.define("ApproveRefund", { order: z.string() }) {}
class RefundDecision extends HumanResponseEvent.define("RefundDecision", { approved: z.boolean() }) {}
const refund = defineWorkflow("refund")
  .step(
    "refund",
    { on: StartEvent, emits: StopEvent, waits: RefundDecision, streams: ApproveRefund },
    async (ev, ctx) => {
      const order = String(ev.get("order") ?? "A-17");
      const { approved } = await ctx.waitForEvent(RefundDecision, { prompt: new ApproveRefund({ order }) });
      return new StopEvent({ result: approved ? `refunded ${order}` : "refused" });
    },
  )
  .build();

class Count extends StartEvent.define("Count", { to: z.number(), pauseEvery: z.number().default(0) }) {}
class Counted extends event("Counted", { number: z.number() }) {}
class Next extends event("Next", { from: z.number(), to: z.number(), pauseEvery: z.number() }) {}
/** Shows `to` events, `pauseEvery` of them in each step: what a step showed before it was killed is shown again. */
class CountFlow extends Workflow {
  begin = step({ on: Count, emits: Next }, ({ to, pauseEvery }) => new Next({ from: 1, to, pauseEvery }));
  count = step({ on: Next, emits: [Next, StopEvent], streams: Counted }, async ({ from, to, pauseEvery }, ctx) => {
    const end = pauseEvery === 0 ? to : Math.min(to, from + pauseEvery - 1);
    for (let number = from; number <= end; number++) ctx.writeEventToStream(new Counted({ number }));
    if (pauseEvery > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return end >= to ? new StopEvent({ result: to }) : new Next({ from: end + 1, to, pauseEvery });
  });
}

/** In the folder of this process, which errors name and answers do not. */
const secretFile = `${globalThis.process?.cwd?.() ?? ""}/secret.json`;

const fail = defineWorkflow("fail")
  .step("fail", { on: StartEvent, emits: StopEvent }, (ev) => {
    if (ev.get("ok") !== true) throw new Error(`could not read ${secretFile}: it is gone`);
    return new StopEvent({ result: null });
  })
  .build();

class Letter extends ExternalEvent.define("Letter", { text: z.string().max(100) }) {}
class Sent extends event("Sent", { at: z.date() }) {}
const mailbox = defineWorkflow("mailbox", { state: { opened: z.number().default(0) } })
  .step("open", { on: StartEvent, emits: StopEvent, waits: Letter, streams: Sent }, async (_ev, ctx) => {
    await ctx.store.editState((state) => void state.opened++);
    ctx.writeEventToStream(new Sent({ at: new Date(0) }));
    const { text } = await ctx.waitForEvent(Letter);
    const { opened } = await ctx.store.getState();
    return new StopEvent({ result: `${text} (${opened})` });
  })
  .build();

const nap = defineWorkflow("nap")
  .step("nap", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
    await ctx.sleep(Number(ev.get("ms")));
    return new StopEvent({ result: "rested" });
  })
  .build();

class Reminder extends StartEvent.define("Reminder", { at: z.date() }) {}
const remind = defineWorkflow("remind")
  .step("remind", { on: Reminder, emits: StopEvent }, ({ at }) => new StopEvent({ result: at }))
  .build();

class Ask extends event("Ask", {}) {}
class Work extends event("Work", {}) {}
/** One branch asks while the other one is at work. */
const aside = defineWorkflow("aside")
  .step("begin", { on: StartEvent, emits: many(Ask, Work) }, () => [new Ask({}), new Work({})])
  .step(
    "work",
    { on: Work },
    (_ev, ctx) => new Promise<void>((end) => ctx.signal.addEventListener("abort", () => end())),
  )
  .step("ask", { on: Ask, emits: StopEvent, waits: RefundDecision, streams: ApproveRefund }, async (_ev, ctx) => {
    const { approved } = await ctx.waitForEvent(RefundDecision, { prompt: new ApproveRefund({ order: "A-17" }) });
    return new StopEvent({ result: approved });
  })
  .build();

const busy = defineWorkflow("busy")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    return new StopEvent({ result: null });
  })
  .build();

export const workflows = { add, refund, count: new CountFlow(), fail, mailbox, nap, busy, aside, remind };
