/** What the server of the tests runs. The client imports it for its types. */
import {
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

export class Topic extends StartEvent.define("Topic", { topic: z.string(), tone: z.string().default("dry") }) {}
export class Joke extends event("Joke", { text: z.string(), toldAt: z.date() }) {}
export class Rated extends StopEvent.define("Rated", { joke: z.string(), stars: z.number() }) {}

/** Fields, a streamed event with a date, a stop event of its own. */
const joke = defineWorkflow("joke")
  .step("tell", { on: Topic, emits: Rated, streams: Joke }, ({ topic, tone }, ctx) => {
    const text = `a ${tone} joke about ${topic}`;
    ctx.writeEventToStream(new Joke({ text, toldAt: new Date(0) }));
    return new Rated({ joke: text, stars: 3 });
  })
  .build();

export class AskName extends InputRequiredEvent.define("AskName", { question: z.string() }) {}
export class GotName extends HumanResponseEvent.define("GotName", { name: z.string() }) {}

const greet = defineWorkflow("greet")
  .step("greet", { on: StartEvent, emits: StopEvent, waits: GotName, streams: AskName }, async (_start, ctx) => {
    const { name } = await ctx.waitForEvent(GotName, { prompt: new AskName({ question: "Who is there?" }) });
    return new StopEvent({ result: `Hello ${name}` });
  })
  .build();

export class Letter extends ExternalEvent.define("Letter", { text: z.string(), sentAt: z.date().optional() }) {}

const mailbox = defineWorkflow("mailbox", { state: { prefix: z.string().default("got") } })
  .step("open", { on: StartEvent, emits: StopEvent, waits: Letter }, async (_start, ctx) => {
    const { text, sentAt } = await ctx.waitForEvent(Letter);
    const { prefix } = await ctx.store.getState();
    return new StopEvent({ result: `${prefix} ${text} of ${sentAt?.getUTCFullYear() ?? "some day"}` });
  })
  .build();

let isMended = false;
/** Fails until another run, of the workflow `mend`, has ended. */
const fragile = defineWorkflow("fragile")
  .step("work", { on: StartEvent, emits: StopEvent }, () => {
    if (!isMended) throw new TypeError("it is broken");
    return new StopEvent({ result: "whole" });
  })
  .build();
const mend = defineWorkflow("mend")
  .step("mend", { on: StartEvent, emits: StopEvent }, () => {
    isMended = true;
    return new StopEvent();
  })
  .build();

/** Fails each time. */
const broken = defineWorkflow("broken")
  .step("work", { on: StartEvent, emits: StopEvent }, (): StopEvent => {
    throw new TypeError("it is broken for good");
  })
  .build();

class Count extends StartEvent.define("Count", { to: z.number() }) {}
class Next extends event("Next", { from: z.number(), to: z.number() }) {}
export class Counted extends event("Counted", { number: z.number() }) {}
const EACH = 20;

/** Shows the numbers up to `to`, 20 in each step. A class: what it streams is not known to the compiler. */
class CountFlow extends Workflow {
  begin = step({ on: Count, emits: Next }, ({ to }) => new Next({ from: 1, to }));
  count = step({ on: Next, emits: [Next, StopEvent], streams: Counted }, async ({ from, to }, ctx) => {
    const end = Math.min(to, from + EACH - 1);
    for (let number = from; number <= end; number++) ctx.writeEventToStream(new Counted({ number }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return end >= to ? new StopEvent({ result: to }) : new Next({ from: end + 1, to });
  });
}

class Poem extends StartEvent.define("Poem", { words: z.number() }) {}

/** Writes numbered words, and continues behind a second call that writes as well. */
const poet = defineWorkflow("poet")
  .step("write", { on: Poem, emits: StopEvent }, async ({ words }, ctx) => {
    for (const key of ["first", "second"])
      await ctx.run(key, async (call) => {
        for (let word = 1; word <= words; word++) {
          call.write(`${word} `);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      });
    return new StopEvent({ result: words });
  })
  .build();

export const workflows = { joke, greet, mailbox, fragile, mend, broken, count: new CountFlow(), poet };
