// The same without decorators: plain `node` runs this file as it is. `pnpm --filter ./examples no-decorators`
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Ask extends StartEvent.define("Ask", { question: z.string() }) {}
class Draft extends event("Draft", { text: z.string(), round: z.number().default(1) }) {}

/** `ev` and `ctx` need no annotation. A step that emits an event nobody takes does not compile. */
export const writer = defineWorkflow("writer", { state: { drafts: z.number().default(0) } })
  .step("draft", { on: Ask, emits: Draft }, (ev) => new Draft({ text: `${ev.question} Perhaps.` }))
  .step("revise", { on: Draft, emits: [Draft, StopEvent] }, async (ev, ctx) => {
    const drafts = await ctx.store.editState((state) => ++state.drafts);
    if (ev.round === 3) return new StopEvent({ result: `${ev.text} (${drafts} drafts)` });
    return new Draft({ text: ev.text.replace("Perhaps", "Perhaps not"), round: ev.round + 1 });
  })
  .build({ timeout: "10s" });

if (import.meta.main) {
  console.log(await writer.run({ question: "Is it going to rain?" }));
}
