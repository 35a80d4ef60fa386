/** The event of a prompt, where it is answered. */
import {
  type Context,
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";

class AskName extends InputRequiredEvent.define("AskName", { message: z.string() }) {}
class Name extends HumanResponseEvent.define("Name", { name: z.string() }) {}

const flow = defineWorkflow("ask")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Name, streams: AskName }, async (_ev, ctx) => {
    const { name } = await ctx.waitForEvent(Name, { prompt: new AskName({ message: "Who?" }) });
    return new StopEvent({ result: `Hello ${name}` });
  })
  .build();

const run = flow.run();
const outcome = await run.idle();
if (outcome.status === "waiting")
  for (const { promptId, event } of outcome.prompts) {
    if (AskName.is(event)) console.log(`function form: ${event.message}`);
    await run.answer(promptId, { name: "Ada" });
  }
console.log(await run);

class Asks extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, waits: Name, streams: AskName })
  async ask(_ev: StartEvent, ctx: Context) {
    const { name } = await ctx.waitForEvent(Name, { prompt: new AskName({ message: "Who?" }) });
    return new StopEvent({ result: `Hello ${name}` });
  }
}
const waits = await new Asks().run().idle();
const [prompt] = waits.status === "waiting" ? waits.prompts : [];
if (AskName.is(prompt?.event)) console.log(`class form: ${prompt.event.message}`);
