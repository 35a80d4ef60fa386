import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { event, StartEvent, StopEvent, step, Workflow } from "millrace";

class Ready extends event("Ready", {}) {}

/** Its second step lasts until the file `go` is there. */
export class SlowFlow extends Workflow {
  @step({ on: StartEvent, emits: Ready })
  first() {
    return new Ready();
  }

  @step({ on: Ready, emits: StopEvent })
  async second() {
    while (!existsSync(join(import.meta.dirname, "go"))) await delay(20);
    return new StopEvent({ result: "version 1" });
  }
}
