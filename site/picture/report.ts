/** What the moving picture of the README shows: questions in parallel, then a person. */
import { setTimeout } from "node:timers/promises";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Topic extends StartEvent.define("Topic", { text: z.string() }) {}
class Question extends event("Question", { text: z.string() }) {}
class Finding extends event("Finding", { text: z.string() }) {}

/** Stands in for a model. */
async function askModel(text: string): Promise<string> {
  await setTimeout(1_500);
  return `${text} Yes.`;
}

export const report = defineWorkflow("report")
  .step("plan", { on: Topic, emits: many(Question) }, ({ text }) =>
    ["Who?", "Where?", "When?", "Why?", "How?", "Now?"].map((what) => new Question({ text: `${text}: ${what}` })),
  )
  .step("research", { on: Question, emits: Finding, workers: 2 }, async ({ text }, ctx) => {
    return new Finding({ text: await ctx.run("ask", () => askModel(text)) });
  })
  .step("write", { on: collect(Finding), emits: StopEvent }, async (all, ctx) => {
    const { approved } = await ctx.ask({ title: "Publish the report?", schema: { approved: z.boolean() } });
    return new StopEvent({ result: approved ? `published, ${all.length} findings` : "thrown away" });
  })
  .build();
