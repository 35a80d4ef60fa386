/** Mistakes whose compile errors have a sentence. */
import { event, many, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class A extends event("A", { text: z.string() }) {}
class B extends event("B", { s: z.string() }) {}

export class ArrayWithoutMany extends Workflow {
  @step({ on: StartEvent, emits: A })
  make(_ev: StartEvent) {
    return [new A({ text: "" })];
  }
}
export class WrongEmit extends Workflow {
  @step({ on: StartEvent, emits: A })
  make(_ev: StartEvent) {
    return new B({ s: "" });
  }
}
export class OneWithMany extends Workflow {
  @step({ on: StartEvent, emits: many(A) })
  make(_ev: StartEvent) {
    return new A({ text: "" });
  }
}
export class WrongParameter extends Workflow {
  @step({ on: A, emits: StopEvent })
  end(_ev: B) {
    return new StopEvent();
  }
}
