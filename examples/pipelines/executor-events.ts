// What agents and teams say can be left out of the stream. `pnpm --filter millrace-examples executor-events`
import { Agent } from "@millrace/agents";
import { Pipeline, Step } from "@millrace/pipeline";
import { model } from "./support/model.js";

const agent = new Agent({
  name: "ResearchAgent",
  model: model("gpt-5-mini", () => "A programming language that is easy to read."),
  instructions: "You are a helpful research assistant. Be concise.",
});

export function createResearch(streamExecutorEvents: boolean): Pipeline {
  return new Pipeline({
    name: "Research Workflow",
    steps: [new Step({ name: "Research", executor: agent })],
    streamEvents: true, // of runs that do not say otherwise
    streamExecutorEvents,
  });
}

if (import.meta.main) {
  for (const streamExecutorEvents of [true, false]) {
    await using research = createResearch(streamExecutorEvents);
    console.log(`streamExecutorEvents: ${streamExecutorEvents}`);
    for await (const { event } of research.run("What is Python?").events()) console.log(`  -> ${event}`);
  }
}
