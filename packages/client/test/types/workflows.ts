// What the cases are about: a class, its constructor, built workflows, a stop event of its own, open events.
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

export class Ask extends StartEvent.define("Ask", { topic: z.string(), tone: z.string().default("dry") }) {}
export class Joke extends event("Joke", { text: z.string(), at: z.date().optional() }) {
  loud(): string {
    return this.text.toUpperCase();
  }
}
export class Answer extends StopEvent.define("Answer", { joke: z.string(), stars: z.number() }) {}
export class NeedName extends InputRequiredEvent.define("NeedName", { question: z.string() }) {}
export class GotName extends HumanResponseEvent.define("GotName", { name: z.string() }) {}

class JokeFlow extends Workflow.withState({ count: z.number().default(0) }) {
  @step({ on: Ask, emits: Joke })
  async write(ev: Ask) {
    return new Joke({ text: ev.topic });
  }
  @step({ on: Joke, emits: [NeedName, StopEvent] })
  async judge(ev: Joke) {
    return ev.text ? new StopEvent({ result: ev.text.length }) : new NeedName({ question: "" });
  }
  @step({ on: GotName, emits: StopEvent })
  async named(ev: GotName) {
    return new StopEvent({ result: ev.name.length });
  }
}

const rated = defineWorkflow("rated")
  .step("rate", { on: Ask, emits: Answer, streams: Joke }, ({ topic }) => new Answer({ joke: topic, stars: 1 }))
  .build();

const open = defineWorkflow("open")
  .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: { ok: true } }))
  .build();

export const workflows = { joke: new JokeFlow(), jokeClass: JokeFlow, rated, open };
