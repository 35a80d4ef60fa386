import { StartEvent, StopEvent, step, Workflow } from "millrace";

export class Greeting extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  greet(ev: StartEvent) {
    return new StopEvent({ result: `Hello, ${ev.get("name")}!` });
  }
}
