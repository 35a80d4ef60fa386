// Text, an object, a list: what a run can begin with, and what an agent makes of it. `pnpm --filter millrace-examples structured-input`
import { Agent } from "@millrace/agents";
import { Pipeline, type StepInput } from "@millrace/pipeline";
import * as z from "zod";
import { model } from "./support/model.js";

const ResearchRequest = z.object({
  topic: z.string().describe("Research topic"),
  depth: z.number().int().min(1).max(10).describe("Research depth (1-10)"),
  sources: z.array(z.string()).describe("Preferred sources"),
});

const researcher = new Agent({
  name: "Researcher",
  model: model("gpt-5-mini", ({ message }) => `I was told: ${message}`),
  instructions: "Research what you are asked for.",
});

/** Every step sees the input as it was given, whatever came before. */
function describeInput({ input, previousStepContent }: StepInput) {
  const type = Array.isArray(input) ? "list" : typeof input;
  return `Input: ${type}. ${previousStepContent}`;
}

export function createResearch(): Pipeline {
  return new Pipeline({ name: "Research", steps: [researcher, describeInput] });
}

if (import.meta.main) {
  await using research = createResearch();
  const request: z.output<typeof ResearchRequest> = {
    topic: "AI trends 2024",
    depth: 8,
    sources: ["academic", "industry"],
  };
  for (const input of ["Analyze AI trends", request, ["AI", "ML", "LLMs"]]) {
    console.log((await research.run(input)).content);
  }
}
