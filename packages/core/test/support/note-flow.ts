/** A workflow whose one step does what a test wants, and two that listen. */
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";

export class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
export class Answer extends HumanResponseEvent.define("Answer", { text: z.string(), id: z.number().default(0) }) {}
export class Note extends event("Note", { text: z.string() }) {}

const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });
export const note = (text: string): Note => new Note({ text });
export const stopped = (result: unknown): StopEvent => new StopEvent({ result });

/** A step `work`, and steps `first` and `second` that write down the notes they get. */
export function flowOf(work: (ctx: Context) => Promise<unknown>) {
  const notes: string[] = [];
  const flow = defineWorkflow("calls")
    .step(
      "work",
      { on: StartEvent, emits: [StopEvent, Note], waits: [Answer, Note], streams: Ask, retry: twice },
      async (_, ctx) => {
        const result = await work(ctx);
        return result instanceof Note ? result : stopped(result);
      },
    )
    .step("first", { on: Note, emits: StopEvent }, async ({ text }) => {
      notes.push(`first ${text}`);
      return text === "last" ? stopped("by note") : null;
    })
    .step("second", { on: Note }, async ({ text }) => void notes.push(`second ${text}`))
    .build();
  return { flow, notes };
}
