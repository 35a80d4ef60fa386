import {
  type Context,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";

import * as z from "zod";

class Topic extends StartEvent.define("Topic", { topic: z.string(), words: z.number().int().default(3) }) {}
class Joke extends event("Joke", { text: z.string() }) {}

export class JokeFlow extends Workflow {
  @step({ on: Topic, emits: Joke })
  async write(ev: Topic) {
    return new Joke({ text: `A ${ev.topic} walks into a bar.` });
  }

  @step({ on: Joke, emits: StopEvent, streams: Joke })
  async judge(ev: Joke, ctx: Context) {
    ctx.writeEventToStream(ev);
    return new StopEvent({ result: ev.text.length });
  }
}

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { approved: z.boolean(), note: z.string().optional() }) {}

class AskFlow extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask })
  async ask(_ev: StartEvent, ctx: Context) {
    const { approved, note } = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "Go on?" }) });
    return new StopEvent({ result: { approved, note: note ?? null } });
  }
}

export const askFlow: Workflow = new AskFlow();
