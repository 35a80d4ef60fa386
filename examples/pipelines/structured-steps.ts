// Typed data from step to step: agents with an output schema, and a function between them. `pnpm --filter millrace-examples structured-steps`
import { Agent } from "@millrace/agents";
import { Pipeline, Step, type StepInput, stepOutput } from "@millrace/pipeline";
import * as z from "zod";
import { model } from "./support/model.js";

const ResearchFindings = z.object({
  topic: z.string(),
  insights: z.array(z.string()),
  confidence: z.number().min(0).max(1),
});

const AnalysisReport = z.object({
  analysis_type: z.string(),
  key_findings: z.array(z.string()),
  worth_publishing: z.boolean(),
});

const Headline = z.object({ headline: z.string(), findings: z.number().int() });

const researchAgent = new Agent({
  name: "Research Specialist",
  model: model("gpt-4o", ({ message }) => ({
    topic: message,
    insights: ["small models run on laptops", "agents move into products"],
    confidence: 0.8,
  })),
  instructions: "Research the topic.",
  outputSchema: ResearchFindings, // what it answers is this, or the step has failed
});

/** The step before gave an object, so this one gets an object. `parse` says which one. */
function transformData(input: StepInput) {
  const { topic, insights, confidence } = ResearchFindings.parse(input.previousStepContent);
  const report: z.output<typeof AnalysisReport> = {
    analysis_type: "Custom",
    key_findings: insights.map((insight) => `${topic}: ${insight}`),
    worth_publishing: confidence > 0.5,
  };
  return stepOutput({ content: report });
}

/** An agent gets the object as JSON. */
const headlineAgent = new Agent({
  name: "Headline Expert",
  model: model("gpt-4o", ({ message }) => {
    const { key_findings: findings } = JSON.parse(message) as z.output<typeof AnalysisReport>;
    return { headline: `${findings[0]}!`, findings: findings.length };
  }),
  instructions: "Find a headline.",
  outputSchema: Headline,
});

export function createAnalysis(): Pipeline {
  return new Pipeline({
    name: "Analysis",
    steps: [
      new Step({ name: "research", executor: researchAgent }),
      new Step({ name: "transform", executor: transformData }),
      new Step({ name: "headline", executor: headlineAgent }),
    ],
  });
}

if (import.meta.main) {
  await using analysis = createAnalysis();
  const { content, stepResults } = await analysis.run("AI trends");
  for (const { stepName, content } of stepResults) console.log(`${stepName}:`, content);

  const { headline } = Headline.parse(content);
  console.log(headline.toUpperCase());
}
