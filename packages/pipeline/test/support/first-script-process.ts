/** What somebody writes first: nothing is closed at the end. Its argument names the script. */

import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { Pipeline, Step } from "../../src/index.js";

const scripts: Record<string, () => Promise<void>> = {
  async done() {
    const run = await new Pipeline({ name: "first", steps: [({ input }) => `Hello ${input}`] }).run("you");
    console.log(run.content);
  },
  async paused() {
    const steps = [new Step({ name: "send", executor: () => "sent", humanReview: { requiresConfirmation: true } })];
    const output = await new Pipeline({ name: "asks", steps }).run("you").output();
    console.log(output.status);
  },
  // It has left memory long before its time comes: nothing but the runtime's own timer can wake it.
  async sleeping() {
    const sleeper = defineWorkflow("sleeper")
      .step("sleep", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        await ctx.sleep("600ms");
        console.log("awake");
        return new StopEvent({ result: "rested" });
      })
      .build();
    const runtime = createRuntime({ store: memoryStore(), workflows: { sleeper }, idleReleaseMs: 50 });
    await runtime.run("sleeper", {}).accepted;
    console.log("begun");
  },
};

await scripts[JSON.parse(process.argv[2] as string) as string]?.();
