import { Context, defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
import file from "./a.run"; // choose it at "Open a run"

// The workflow of the run. Its code is not in the file: write it here.
const refund = defineWorkflow("refund")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const schema = { approved: z.boolean() };
    const { approved } = await ctx.ask({ title: "Refund 5 €?", details: { order: "A-17" }, schema });
    const receipt = await ctx.run("mail", async () => "not sent from here"); // an effect of your own
    return new StopEvent({ result: approved ? `refunded, ${receipt}` : "refused" });
  })
  .build();

const handler = refund.resume(Context.fromDict(refund, file.snapshot));
const outcome = await handler.idle();
if (outcome.status === "waiting") {
  for (const { promptId, event } of outcome.prompts) {
    console.log(event.toJSON());
    await handler.answer(promptId, { approved: true });
  }
}
console.log(await handler);
const continued = JSON.stringify({ ...file, snapshot: handler.context.toDict() });
console.log(`${continued.length} characters: a run file, for \`millrace import\``);
