import { event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Visitor extends StartEvent.define("Visitor", { name: z.string().default("world") }) {}
class Draft extends event("Draft", { text: z.string() }) {}

export class Greeting extends Workflow {
  @step({ on: Visitor, emits: Draft })
  async write({ name }: Visitor) {
    return new Draft({ text: `Hello, ${name}` });
  }

  @step({ on: Draft, emits: StopEvent })
  async finish({ text }: Draft) {
    return new StopEvent({ result: `${text}!` });
  }
}
