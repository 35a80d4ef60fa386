// Two steps and one event. `pnpm --filter ./examples hello`
import { event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Joke extends event("Joke", { text: z.string() }) {}

export class JokeFlow extends Workflow {
  @step({ on: StartEvent, emits: Joke })
  async write(ev: StartEvent) {
    return new Joke({ text: `A ${ev.get("topic")} walks into a bar.` });
  }

  @step({ on: Joke, emits: StopEvent })
  async judge(ev: Joke) {
    return new StopEvent({ result: `"${ev.text}" has ${ev.text.length} characters.` });
  }
}

if (import.meta.main) {
  const verdict = await new JokeFlow().run({ topic: "pirate" });
  console.log(verdict);
}
