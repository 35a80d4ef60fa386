// A step that runs only where the one before makes it necessary. `pnpm --filter millrace-examples fact-check`
import { Agent } from "@millrace/agents";
import { Condition, Pipeline, Step, type StepInput } from "@millrace/pipeline";
import { call, model } from "./support/model.js";
import { searchWeb } from "./support/research-team.js";

const researcher = new Agent({
  name: "Researcher",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    if (toolResults.length === 0) return [call("search_web", { topic: message })];
    const claim = /breakthroughs/.test(message) ? "A study shows 40 percent fewer errors." : "Nobody has measured it.";
    return `${toolResults.join(" ")} ${claim}`;
  }),
  instructions: "Research the given topic and provide detailed findings.",
  tools: [searchWeb],
});

const summarizer = new Agent({
  name: "Summarizer",
  model: model("gpt-5-mini", ({ message }) => `In short: ${message}`),
  instructions: "Create a clear summary of the research findings.",
});

const factChecker = new Agent({
  name: "Fact Checker",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    return toolResults.length > 0 ? `Checked. ${message}` : [call("search_web", { topic: "the claims" })];
  }),
  instructions: "Verify facts and check for accuracy in the research.",
  tools: [searchWeb],
});

const writer = new Agent({
  name: "Writer",
  model: model("gpt-5-mini", ({ message }) => `# Article\n${message}`),
  instructions: "Write a comprehensive article based on all available research and verification.",
});

const factIndicators = ["study shows", "breakthroughs", "according to", "statistics", "percent", "million", "billion"];

/** Does the summary say what should be checked? */
function needsFactChecking(input: StepInput): boolean {
  const summary = String(input.previousStepContent ?? "").toLowerCase();
  return factIndicators.some((indicator) => summary.includes(indicator));
}

export function createArticle(): Pipeline {
  return new Pipeline({
    name: "Basic Linear Workflow",
    description: "Research -> Summarize -> Condition(Fact Check) -> Write Article",
    steps: [
      new Step({ name: "research", description: "Research the topic", executor: researcher }),
      new Step({ name: "summarize", description: "Summarize research findings", executor: summarizer }),
      new Condition({
        name: "fact_check_condition",
        description: "Check if fact-checking is needed",
        evaluator: needsFactChecking,
        steps: [new Step({ name: "fact_check", description: "Verify facts and claims", executor: factChecker })],
      }),
      new Step({ name: "write_article", description: "Write final article", executor: writer }),
    ],
  });
}

if (import.meta.main) {
  await using article = createArticle();
  try {
    for (const topic of ["Recent breakthroughs in quantum computing", "The smell of rain"]) {
      const { content, stepResults } = await article.run(topic);
      console.log(stepResults.map(({ stepName, skipped }) => (skipped ? `(${stepName})` : stepName)).join(" -> "));
      console.log(content, "\n");
    }
  } catch (error) {
    console.log("Error:", error);
  }
}
