// Running a pipeline, and what a run gives. `pnpm --filter millrace-examples content-creation`
import { Agent } from "@millrace/agents";
import { Pipeline, type PipelineOptions } from "@millrace/pipeline";
import { printOutput } from "@millrace/print";
import { sqliteStore } from "@millrace/sqlite";
import { model } from "./support/model.js";
import { researchTeam } from "./support/research-team.js";
import { temporaryFile } from "./support/temporary-file.js";

const contentPlanner = new Agent({
  name: "Content Planner",
  model: model("gpt-5-mini", ({ message }) => {
    const weeks = [1, 2, 3, 4].map((week) => `Week ${week}: a summary, an interview and a list of links.`);
    return `${message}\n\n${weeks.join("\n")}`;
  }),
  instructions: [
    "Plan a content schedule over 4 weeks for the provided topic and research content",
    "Ensure that I have posts for 3 posts per week",
  ],
});

export function createContentCreation(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Content Creation Workflow",
    description: "Automated content creation from blog posts to social media",
    steps: [researchTeam, contentPlanner],
    ...options,
  });
}

if (import.meta.main) {
  await using contentCreation = createContentCreation({ store: sqliteStore(temporaryFile("workflow.db")) });
  const response = await contentCreation.run("AI trends in 2024");

  console.log(response.status, "with the steps", response.stepResults.map(({ stepName }) => stepName).join(", "));
  await printOutput(response); // what each step gave; in a terminal with rendered Markdown
}
