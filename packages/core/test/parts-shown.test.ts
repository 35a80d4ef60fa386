import { expect, it } from "vitest";
import { defineWorkflow, PartsShownEvent, StartEvent, StopEvent } from "../src/index.js";

it("is streamed by a step that declares nothing, and belongs to its call", async () => {
  const flow = defineWorkflow("shows")
    .step("show", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.run("model", (call) => call.writeEventToStream(new PartsShownEvent({ parts: [{ text: "Hel" }] })));
      return new StopEvent({ result: "Hello" });
    })
    .build();

  const shown = await flow.run().streamEvents().toArray();

  expect(shown.map(({ event, call }) => [event.type, call])).toEqual([
    ["PartsShownEvent", "run=model"],
    ["StopEvent", undefined],
  ]);
  expect(shown[0]?.event.toJSON()).toEqual({ parts: [{ text: "Hel" }] });
});

it("is refused where an event is sent: no step takes it", async () => {
  const flow = defineWorkflow("sends")
    .step("send", { on: StartEvent, emits: StopEvent }, (_ev, ctx) => {
      ctx.sendEvent(new PartsShownEvent({ parts: [] }));
      return new StopEvent({ result: null });
    })
    .build();

  await expect(flow.run()).rejects.toMatchObject({ code: "EVENT_UNDECLARED" });
});
