// A step that emits one of several events is a branch; an event that leads back is a loop.
// `pnpm --filter ./examples branches-and-loops`
import { event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Begin extends StartEvent.define("Begin", { value: z.number().int().positive() }) {}
class Value extends event("Value", { value: z.number(), steps: z.number() }) {}
class Even extends event("Even", { value: z.number(), steps: z.number() }) {}
class Odd extends event("Odd", { value: z.number(), steps: z.number() }) {}

/** The Collatz sequence: halve what is even, triple and add one to what is odd, until it is 1. */
export class Collatz extends Workflow {
  @step({ on: Begin, emits: Value })
  begin(ev: Begin) {
    return new Value({ value: ev.value, steps: 0 });
  }

  @step({ on: Value, emits: [Even, Odd, StopEvent] })
  classify({ value, steps }: Value) {
    if (value === 1) return new StopEvent({ result: steps });
    return value % 2 === 0 ? new Even({ value, steps }) : new Odd({ value, steps });
  }

  @step({ on: Even, emits: Value })
  halve({ value, steps }: Even) {
    return new Value({ value: value / 2, steps: steps + 1 });
  }

  @step({ on: Odd, emits: Value })
  triple({ value, steps }: Odd) {
    return new Value({ value: value * 3 + 1, steps: steps + 1 });
  }
}

if (import.meta.main) {
  for (const value of [6, 27, 97]) {
    console.log(`${value} reaches 1 after ${await new Collatz().run({ value })} steps.`);
  }
}
