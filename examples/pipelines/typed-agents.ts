// Typed data from agent to agent, without a function between them. `pnpm --filter millrace-examples typed-agents`
import { Agent } from "@millrace/agents";
import { Pipeline, Step } from "@millrace/pipeline";
import * as z from "zod";
import { model } from "./support/model.js";

const ResearchFindings = z.object({
  topic: z.string(),
  insights: z.array(z.string()),
  confidence: z.number().min(0).max(1),
});

const AnalysisResults = z.object({
  summary: z.string(),
  findings: z.number().int(),
  recommendation: z.enum(["publish", "wait"]),
});

const researchAgent = new Agent({
  name: "Research Specialist",
  model: model("gpt-4", ({ message }) => ({
    topic: message,
    insights: ["small models run on laptops", "agents move into products"],
    confidence: 0.8,
  })),
  instructions: "Research the topic.",
  outputSchema: ResearchFindings,
});

/** Its message is the object of the agent before it, as JSON. */
const analysisAgent = new Agent({
  name: "Analysis Expert",
  model: model("gpt-4", ({ message }) => {
    const { topic, insights, confidence } = ResearchFindings.parse(JSON.parse(message));
    const recommendation = confidence > 0.5 ? "publish" : "wait";
    return { summary: `${topic}: ${insights.join(", ")}`, findings: insights.length, recommendation };
  }),
  instructions: "Analyze the findings.",
  outputSchema: AnalysisResults,
});

export function createAnalysis(): Pipeline {
  return new Pipeline({
    name: "Research and Analysis",
    steps: [
      new Step({ name: "research", executor: researchAgent }), // gives ResearchFindings
      new Step({ name: "analysis", executor: analysisAgent }), // gives AnalysisResults
    ],
  });
}

if (import.meta.main) {
  await using analysis = createAnalysis();
  const { content, stepResults } = await analysis.run("AI trends");
  for (const { stepName, content } of stepResults) console.log(`${stepName}:`, content);

  const { recommendation } = AnalysisResults.parse(content);
  console.log(recommendation);
}
