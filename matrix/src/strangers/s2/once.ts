/** `runOnce` of workflow-core, as the page of the migration says: a flag in the store. */
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Part extends event("Part", { n: z.number() }) {}
class Done extends event("Done", {}) {}

let calls = 0;
const flow = defineWorkflow("once", { state: z.object({ isDone: z.boolean().default(false) }) })
  .step("split", { on: StartEvent, emits: many(Part) }, () => [new Part({ n: 1 }), new Part({ n: 2 })])
  .step("once", { on: Part, emits: Done }, async (_ev, ctx) => {
    const isFirst = await ctx.store.editState((state) => !state.isDone && (state.isDone = true));
    if (isFirst) calls++;
    return new Done({});
  })
  .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent())
  .build();

await flow.run();
console.log(`two events, ${calls} call`);
