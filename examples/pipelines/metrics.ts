// Tokens and time: of a run, of each of its steps, and of a session. `pnpm --filter millrace-examples metrics`
import { Agent } from "@millrace/agents";
import {
  Pipeline,
  type PipelineOptions,
  type RunMetricsData,
  Step,
  type StepInput,
  type StepMetricsData,
} from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { model } from "./support/model.js";
import { researchTeam } from "./support/research-team.js";
import { temporaryFile } from "./support/temporary-file.js";

const contentPlanner = new Agent({
  name: "Content Planner",
  model: model("gpt-4o", ({ message }) => `A content schedule from: ${message}`),
  instructions: "Plan a content schedule based on research",
});

function countWords({ previousStepContent }: StepInput) {
  return String(previousStepContent).split(/\s+/).length;
}

export function createContentCreation(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Content Creation Workflow",
    steps: [
      new Step({ name: "Research Step", executor: researchTeam }), // its tokens include those of its members
      new Step({ name: "Content Planning Step", executor: contentPlanner }),
      new Step({ name: "Word Count Step", executor: countWords }),
    ],
    ...options,
  });
}

function printTokens({ totalTokens, inputTokens, outputTokens, duration }: StepMetricsData) {
  console.log(`  Tokens: ${totalTokens}, ${inputTokens} in and ${outputTokens} out`);
  console.log(`  Duration: ${duration.toFixed(3)} s`);
}

function printRun({ duration, steps }: RunMetricsData) {
  console.log(`Run: ${duration.toFixed(3)} s, with what is between the steps`);
  for (const { stepName, executorType, executorName, metrics } of Object.values(steps)) {
    console.log(`Step: ${stepName} (${executorType} ${executorName})`);
    printTokens(metrics);
    for (const { id, provider, totalTokens } of metrics.details?.["model"] ?? []) {
      console.log(`  Model: ${id} of ${provider}, ${totalTokens} tokens`);
    }
  }
}

if (import.meta.main) {
  await using contentCreation = createContentCreation({ store: sqliteStore(temporaryFile("workflow.db")) });
  const { metrics } = await contentCreation.run("AI trends in 2024");
  printRun(metrics);

  // Of all runs of the session: of its agents and teams alone.
  await contentCreation.run("Small models");
  const session = await contentCreation.getSessionMetrics();
  if (session === null) throw new Error("No run has ended.");
  console.log("Session, after two runs");
  printTokens(session);
}
