/** A custom start event with a client in it: where it would be stored, it is refused, with its name. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";

class Model {
  ask() {
    return "hello";
  }
}
class Ask extends StartEvent.define("Ask", { model: z.instanceof(Model) }) {}
const flow = defineWorkflow("client")
  .step("ask", { on: Ask, emits: StopEvent }, ({ model }) => new StopEvent({ result: model.ask() }))
  .build();

console.log(`in memory: ${await flow.run({ model: new Model() })}`);
const runtime = createRuntime({ workflows: { flow } });
await Promise.resolve()
  .then(() => runtime.run("flow", { model: new Model() }))
  .catch(({ code, hint }) => console.log(`stored: ${code}: ${hint}`));
await runtime.stop();
