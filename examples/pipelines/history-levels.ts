// Which steps get the history, and how much of it: the step decides, else the pipeline. `pnpm --filter millrace-examples history-levels`
import { Agent } from "@millrace/agents";
import { Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { model } from "./support/model.js";

/** Says how many earlier runs it was told of. */
const agent = (name: string) =>
  new Agent({
    name,
    model: model("gpt-5-mini", ({ message }) => `${[...message.matchAll(/^\[run-\d+\]$/gm)].length} earlier runs`),
  });

export function createReport(options: Partial<PipelineOptions>): Pipeline {
  return new Pipeline({
    name: "Report",
    steps: [
      new Step({ name: "Research", executor: agent("Researcher") }), // as the pipeline says
      new Step({ name: "Analysis", executor: agent("Analyst"), addWorkflowHistory: false }), // never
      new Step({ name: "Writing", executor: agent("Writer"), addWorkflowHistory: true, numHistoryRuns: 3 }), // always, the last 3
    ],
    ...options,
  });
}

const pipelines: Record<string, Partial<PipelineOptions>> = {
  "steps that ask for it": {},
  "all steps, all runs": { addWorkflowHistoryToSteps: true },
  "all steps, the last 5 runs": { addWorkflowHistoryToSteps: true, numHistoryRuns: 5 },
};

if (import.meta.main) {
  for (const [title, options] of Object.entries(pipelines)) {
    await using report = createReport(options);
    for (let run = 1; run <= 6; run++) await report.run(`Question ${run}`);
    const { stepResults } = await report.run("Question 7");

    console.log(`${title}:`);
    for (const { stepName, content } of stepResults) console.log(`  ${stepName}: ${content}`);
  }
}
