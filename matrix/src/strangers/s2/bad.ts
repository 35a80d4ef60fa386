/** An input that does not fit is thrown at once, as the page says, and caught as it says. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Ask extends StartEvent.define("Ask", { topic: z.string() }) {}
const flow = defineWorkflow("bad")
  .step("end", { on: Ask, emits: StopEvent }, () => new StopEvent())
  .build();

const bad = { topic: 7 as never };
await Promise.resolve()
  .then(() => flow.run(bad))
  .catch(({ code }) => console.log(`caught ${code}`));
