/** A workflow that works and waits in turns. */
import * as z from "zod";
import { type Duration, defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "../../src/index.js";
import { withVirtualClock } from "./virtual-clock.js";

export class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

export const stopped = (result: unknown): StopEvent => new StopEvent({ result });
export const answer = new Answer({ text: "" });

/** Works until `next()` is called, waits for an answer, works again, and so on. */
export function phases(count: number, options: { readonly timeout?: Duration } = {}) {
  let release: (() => void) | null = null;
  const flow = defineWorkflow("phases")
    .step("work", { on: StartEvent, waits: Answer, emits: StopEvent, ...options }, async (_, ctx) => {
      for (let phase = 0; phase < count; phase++) {
        await ctx.run(`work ${phase}`, () => new Promise<void>((done) => (release = done)));
        if (phase < count - 1) await ctx.waitForEvent(Answer);
      }
      return stopped("done");
    })
    .build();
  return { flow, clock: withVirtualClock(flow), next: () => release?.() };
}
