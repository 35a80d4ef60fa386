// Earlier runs of a session: told to an agent, and read by a function. `pnpm --filter millrace-examples history`
import { Agent } from "@millrace/agents";
import { Pipeline, type PipelineOptions, Step, type StepInput } from "@millrace/pipeline";
import { model } from "./support/model.js";

/** Functions are told nothing, and ask: for pairs to work with, or for the block of text that agents get. */
function lookBack(input: StepInput) {
  const pairs = input.getWorkflowHistory(3);
  for (const [asked, answered] of pairs) console.log(`  before: ${asked} -> ${answered}`);
  if (pairs.length > 0) console.log(input.getWorkflowHistoryContext(1)?.replaceAll(/^/gm, "  "));
  return input.input;
}

const writer = new Agent({
  name: "Content Creator",
  model: model("gpt-5-mini", ({ message }) => {
    const request = message.split("\n").at(-1) ?? ""; // the history is in front of it
    const topics = [...message.matchAll(/about ([\w ]+)/g)].map(([, topic]) => topic);
    return `A ${/family/.test(request) ? "parent's " : ""}guide to ${topics.at(-1)}`;
  }),
  instructions: "Create content.",
});

export function createContent(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Content",
    steps: [lookBack, new Step({ name: "Content Creator", executor: writer, addWorkflowHistory: true })],
    ...options,
  });
}

if (import.meta.main) {
  await using content = createContent();
  for (const request of [
    "Create content about AI in healthcare",
    "Make it more family-focused", // what is "it"? The history says so.
    "Now write about sailing",
  ]) {
    console.log(`> ${request}`);
    console.log((await content.run(request)).content);
  }
}
