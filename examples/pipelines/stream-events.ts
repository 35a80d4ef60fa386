// Everything that a run does, as it happens. `pnpm --filter millrace-examples stream-events`
import { createArticle } from "./fact-check.js";

await using article = createArticle();
const run = article.run("Recent breakthroughs in quantum computing", { streamEvents: true });

try {
  for await (const event of run.events()) {
    switch (event.event) {
      case "WorkflowStarted":
      case "WorkflowCompleted":
        console.log(event.event, event.pipelineName);
        break;
      case "StepStarted":
      case "StepCompleted":
        console.log(" ", event.event, event["stepName"]);
        break;
      case "ConditionExecutionStarted":
      case "ConditionExecutionCompleted":
        console.log(" ", event.event, event["stepName"], event["conditionResult"]);
        break;
      case "ToolCallStarted":
      case "ToolCallCompleted":
        console.log("   ", event.event, event["agentName"]);
        break;
    }
  }
} catch (error) {
  console.log("Error:", error);
}
