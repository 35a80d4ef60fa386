// A pipeline that checks its input before anything else happens. `pnpm --filter millrace-examples input-schema`
import { Agent } from "@millrace/agents";
import { Pipeline, type PipelineOptions, Step, type StepInput } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { WorkflowError } from "millrace";
import * as z from "zod";
import { model } from "./support/model.js";
import { temporaryFile } from "./support/temporary-file.js";

/** Structured research topic with specific requirements. */
const ResearchTopic = z.object({
  topic: z.string(),
  focus_areas: z.array(z.string()).describe("Specific areas to focus on"),
  target_audience: z.string().describe("Who this research is for"),
  sources_required: z.number().default(5).describe("Number of sources needed"),
});

const researcher = new Agent({
  name: "Researcher",
  model: model("gpt-5-mini", ({ message }) => {
    const { topic, sources_required: count } = JSON.parse(message) as z.output<typeof ResearchTopic>;
    return `${topic}, from ${count} sources`;
  }),
  instructions: "Research the topic.",
});

function planContent(input: StepInput) {
  const { focus_areas: areas, target_audience: audience } = ResearchTopic.parse(input.input);
  return `${input.previousStepContent}: ${areas.join(" and ")} for ${audience}`;
}

export function createContentCreation(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Content Creation Workflow",
    description: "Automated content creation from blog posts to social media",
    steps: [
      new Step({ name: "research", executor: researcher }),
      new Step({ name: "content_planning", executor: planContent }),
    ],
    inputSchema: ResearchTopic,
    ...options,
  });
}

if (import.meta.main) {
  await using contentCreation = createContentCreation({ store: sqliteStore(temporaryFile("workflow.db")) });
  const topic = {
    topic: "AI trends in 2024",
    focus_areas: ["Machine Learning", "Computer Vision"],
    target_audience: "Tech professionals",
  };

  console.log((await contentCreation.run({ ...topic, sources_required: 8 })).content);
  console.log((await contentCreation.run(JSON.stringify(topic))).content); // text is read as JSON; the default is filled in
  try {
    await contentCreation.run({ topic: "AI trends in 2024", focus_areas: "Machine Learning" });
  } catch (error) {
    if (!WorkflowError.is(error, "INPUT_INVALID")) throw error;
    console.log(error.message);
  }
}
