/** A report: questions about a topic, asked four at a time, gathered, and written. A question that fails is named in the report. */
import {
  type Context,
  collect,
  event,
  many,
  retryPolicy,
  type Settled,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import * as z from "zod";
import { type Ask, usualAsk } from "./model.js";

class Topic extends StartEvent.define("Topic", { topic: z.string(), questions: z.array(z.string()).min(1) }) {}
class Question extends event("Question", { text: z.string() }) {}
class Finding extends event("Finding", { question: z.string(), text: z.string() }) {}
class Findings extends event("Findings", { lines: z.array(z.string()), missing: z.number() }) {}
class Asked extends event("Asked", { question: z.string() }) {}
class Report extends StopEvent.define("Report", { text: z.string(), missing: z.number() }) {}

const patient = retryPolicy({ wait: wait.exponential({ initial: "1s", max: "30s" }), stop: stop.afterAttempts(4) });
const State = z.object({ topic: z.string().default("") });
interface State extends z.output<typeof State> {}

export function research(ask: Ask = usualAsk) {
  class Research extends Workflow.withState(State) {
    @step({ on: Topic, emits: many(Question) })
    async begin({ topic, questions }: Topic, ctx: Context<State>) {
      await ctx.store.set("topic", topic);
      return questions.map((text) => new Question({ text }));
    }

    @step({ on: Question, emits: Finding, streams: Asked, workers: 4, retry: patient, timeout: "2m" })
    async find({ text }: Question, ctx: Context<State>) {
      ctx.writeEventToStream(new Asked({ question: text }));
      const topic = await ctx.store.get("topic");
      const answer = await ctx.run("model", ({ signal }) => ask(`${topic}: ${text}`, signal)); // paid once
      return new Finding({ question: text, text: answer });
    }

    @step({ on: collect(Finding, { settle: true }), emits: Findings })
    gather(all: readonly Settled<Finding>[]) {
      const found = all.flatMap((one) => (one.status === "ok" ? [one.event] : []));
      return new Findings({
        lines: found.map(({ question, text }) => `${question}\n${text}`),
        missing: all.length - found.length,
      });
    }

    @step({ on: Findings, emits: Report, retry: patient })
    async write({ lines, missing }: Findings, ctx: Context<State>) {
      const topic = await ctx.store.get("topic");
      const text = await ctx.run("model", ({ signal }) => ask(`Report on ${topic}: ${lines.join("\n\n")}`, signal));
      return new Report({ text, missing });
    }
  }

  return Research;
}

const Research = research();
export const report = new Research();
