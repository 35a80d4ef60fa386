// A team, a function and an agent, one after the other. `pnpm --filter millrace-examples mixed-pipeline`
import { Agent } from "@millrace/agents";
import { Pipeline, type StepInput, stepOutput } from "@millrace/pipeline";
import { printPipelineResponse } from "@millrace/print";
import { model } from "./support/model.js";
import { researchTeam } from "./support/research-team.js";

/** Your own logic between the two. It could also run an agent, and give what that one answers. */
function preprocessData(input: StepInput) {
  const findings = String(input.previousStepContent).split("\n");
  return stepOutput({ content: `Processed "${input.input}":\n${findings.map((line) => `* ${line}`).join("\n")}` });
}

const contentAgent = new Agent({
  name: "Content Agent",
  model: model("gpt-5-mini", ({ message }) => `An article from:\n${message}`),
  instructions: "Write an article.",
});

export function createMixed(): Pipeline {
  return new Pipeline({
    name: "Mixed Execution Pipeline",
    steps: [
      researchTeam, // team
      preprocessData, // function
      contentAgent, // agent
    ],
  });
}

if (import.meta.main) {
  await using mixed = createMixed();
  // Runs it and prints what its steps say, as they say it.
  const { stepResults } = await printPipelineResponse(mixed, "Analyze the competitive landscape for fintech startups");
  console.log("\nBy:", stepResults.map(({ executorType }) => executorType).join(", "));
}
