/** A travel desk: it says what it does, asks a person before it pays, and has a result. */
import {
  type Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "millrace";
import { z } from "zod";

export class Found extends event("Found", { city: z.string(), price: z.number() }) {}
export class Confirm extends InputRequiredEvent.define("Confirm", { question: z.string() }) {}
export class Confirmed extends HumanResponseEvent.define("Confirmed", { approved: z.boolean() }) {}
class Trip extends StartEvent.define("Trip", { city: z.string(), wordMs: z.number().default(0) }) {}

/** What effects leave outside of the run, to be counted. */
export type Effect = (line: string) => void;

export function desk(effect: Effect) {
  const booking = defineWorkflow("booking")
    .step("book", { on: Trip, emits: StopEvent, streams: Found }, async (ev, ctx) => {
      await ctx.run("search", async (call) => {
        effect(`search ${ctx.runId}`);
        for (const word of ["Looking ", "for ", "flights ", `to ${ev.city}.`]) {
          call.write(word);
          if (ev.wordMs > 0) await new Promise((resolve) => setTimeout(resolve, ev.wordMs));
        }
      });
      ctx.writeEventToStream(new Found({ city: ev.city, price: 99 }));
      const { approved } = await ctx.ask({
        title: `Book a flight to ${ev.city} for 99 €?`,
        details: { city: ev.city },
        schema: { approved: z.boolean() },
      });
      if (!approved) return new StopEvent({ result: "Not booked." });
      const ticket = await ctx.run("pay", () => {
        effect(`pay ${ctx.runId}`);
        return { ticket: `T-${ev.city}`, price: 99 };
      });
      return new StopEvent({ result: ticket });
    })
    .build();
  const echo = defineWorkflow("echo")
    .step("say", { on: StartEvent.define("Say", { text: z.string() }), emits: StopEvent }, (ev) => {
      return new StopEvent({ result: `You said: ${ev.text}` });
    })
    .build();
  const survey = defineWorkflow("survey")
    .step(
      "ask",
      { on: StartEvent, emits: StopEvent, waits: Confirmed, streams: Confirm },
      async (_ev, ctx: Context) => {
        const [first, second] = await Promise.all([
          ctx.ask({ title: "Your name?", schema: { name: z.string() }, key: "name" }),
          ctx.ask({ title: "Your age?", schema: { age: z.number() }, key: "age" }),
        ]);
        const third = await ctx.waitForEvent(Confirmed, { prompt: new Confirm({ question: "All right?" }) });
        return new StopEvent({ result: { ...first, ...second, ok: third.approved } });
      },
    )
    .build();
  const broken = defineWorkflow("broken")
    .step("break", { on: StartEvent, emits: StopEvent }, (): StopEvent => {
      throw new Error("the password of the database is hunter2");
    })
    .build();
  const answering = defineWorkflow("answering")
    .step("answer", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const content = await ctx.run("m0", (call) => {
        call.write({ type: "reasoning", id: "1", text: "Hm." });
        for (const text of ["It is ", "sunny."]) call.write({ type: "text", id: "2", text });
        return "It is sunny.";
      });
      return new StopEvent({ result: { content, agent: "weather", finishReason: "stop", metrics: { tokens: 7 } } });
    })
    .build();
  return { booking, echo, survey, broken, answering };
}
