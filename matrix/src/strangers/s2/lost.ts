/** Ten events, and the stop event with them: no step gets the ten, and the stream says so. */
import { defineWorkflow, event, StartEvent, StopEvent, WorkDiscardedEvent } from "millrace";
import * as z from "zod";

class Part extends event("Part", { n: z.number() }) {}

let handled = 0;
const flow = defineWorkflow("stream")
  .step("send", { on: StartEvent, emits: [Part, StopEvent] }, (_ev, ctx) => {
    for (let n = 0; n < 10; n++) ctx.sendEvent(new Part({ n }));
    return new StopEvent({ result: "completed" });
  })
  .step("handle", { on: Part, emits: [] }, () => void handled++)
  .build();

const run = flow.run();
for await (const { event } of run.streamEvents())
  if (WorkDiscardedEvent.is(event))
    console.log(`reported: ${event.events.map(({ type, step, count }) => `${count} ${type} for ${step}`)}`);
console.log(`${await run}, ${handled} of 10 handled`);
