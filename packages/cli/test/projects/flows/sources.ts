import { type Context, defineWorkflow, event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Joke extends event("Joke", { text: z.string() }) {}

export class JokeFlow extends Workflow {
  readonly words: string[] = [];

  /** Not a part of the step. */
  @step({ on: StartEvent, emits: Joke })
  async write(ev: StartEvent, _ctx: Context): Promise<Joke> {
    // A comment that no compiler keeps.
    const topic: string = String(ev.get("topic") ?? "pirate");
    return new Joke({
      text: `A ${topic}.`,
    });
  }
  @step({
    name: "judge it",
    on: Joke,
    emits: StopEvent,
  })
  judge({ text }: Joke): StopEvent {
    return new StopEvent({ result: text.length });
  }
}

class Said extends event("Said", { words: z.array(z.string()) }) {}

export const said = defineWorkflow("said")
  .step("say", { on: StartEvent, emits: Said }, (ev) => new Said({ words: [String(ev.get("word"))] }))
  .step(
    "end",
    { on: Said, emits: StopEvent },
    ({ words }) =>
      new StopEvent({
        result: words.length,
      }),
  )
  .build();
