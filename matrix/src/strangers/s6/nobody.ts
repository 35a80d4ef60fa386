/** An event that no step takes, beside one with a name of one letter. */
import { event, StartEvent, StopEvent, step, Workflow } from "millrace";

class In extends event("In", {}) {}
class B extends event("B", {}) {}

class Flow extends Workflow {
  @step({ on: StartEvent, emits: B })
  make(_ev: StartEvent) {
    return new B();
  }

  @step({ on: In, emits: StopEvent })
  end(_ev: In) {
    return new StopEvent();
  }
}
await new Flow().run();
