// What a run shows while it works. Any number of readers, each of which sees everything.
// `pnpm --filter ./examples streaming`
import { type Context, event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Baking extends StartEvent.define("Baking", { loaves: z.number().int() }) {}
class Progress extends event("Progress", { done: z.number(), of: z.number() }) {}

export class Bakery extends Workflow {
  /** `streams` lists what a step only shows: readers get it, no step does. */
  @step({ on: Baking, emits: StopEvent, streams: Progress })
  async bake({ loaves }: Baking, ctx: Context) {
    for (let done = 1; done <= loaves; done++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      ctx.writeEventToStream(new Progress({ done, of: loaves }));
    }
    return new StopEvent({ result: `${loaves} loaves` });
  }
}

if (import.meta.main) {
  const handler = new Bakery().run({ loaves: 3 });

  // The stream ends with the run.
  for await (const { sequence, event } of handler.streamEvents()) {
    console.log(sequence, event.type, event.toJSON());
  }

  // A reader that comes late, or lost its connection, goes on from where it was.
  const late = await handler.streamEvents({ after: 1 }).filter(Progress).toArray();
  console.log(`After 1: ${late.map(({ event }) => `${event.done} of ${event.of}`).join(", ")}`);

  // The same as server-sent events, for a browser.
  const response = handler.streamEvents().toResponse({ format: "sse" });
  console.log(response.headers.get("content-type"));
  console.log(await handler);
}
