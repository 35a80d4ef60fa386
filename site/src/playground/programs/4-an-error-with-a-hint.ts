import { event, StartEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Joke extends event("Joke", { text: z.string() }) {}

// Nobody takes a Joke, and no step ends the run: Millrace says so before the first step.
class Unfinished extends Workflow {
  @step({ on: StartEvent, emits: Joke })
  write() {
    return new Joke({ text: "A pirate walks into a bar." });
  }
}

await new Unfinished().run();
