/** Mistakes that only a run shows. */
import type { Mistake } from "./mistake.js";

/** One step; `first` is its first line. */
const method = (options: string, first: string, result = "1"): string => `
class Reply extends HumanResponseEvent.define("Reply", { text: z.string() }) {}
class Question extends InputRequiredEvent.define("Question", {}) {}

export class $ extends Workflow {
  @step({ on: StartEvent, emits: StopEvent${options} })
  async only(_start: StartEvent, ctx: Context) {
    ${first}
    return new StopEvent({ result: ${result} });
  }
}
`;

export const mistakesOfRuns: readonly Mistake[] = [
  {
    name: "WaitsUndeclared",
    code: method("«|, waits: Reply»", "await ctx.waitForEvent(Reply);"),
    at: "await ctx.waitForEvent",
    says: ["uses Reply, which its `waits` does not list", "Add the class to `waits` of the step"],
  },
  {
    name: "StreamsUndeclared",
    code: method("«|, streams: Draft»", 'ctx.writeEventToStream(new Draft({ text: "" }));'),
    at: "ctx.writeEventToStream",
    says: ["uses Draft, which its `streams` does not list", "Add the class to `streams` of the step"],
  },
  {
    name: "KeyTwice",
    code: method("", 'await ctx.run("a", () => 1);\n    await ctx.run("«a|b»", () => 2);'),
    says: ['calls `ctx.run("a", …)` twice in one attempt', "Use a different key for each call"],
  },
];
