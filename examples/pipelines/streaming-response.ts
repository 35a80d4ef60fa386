// The same run, word by word as it comes. `pnpm --filter millrace-examples streaming-response`
import { createContentCreation } from "./content-creation.js";

await using contentCreation = createContentCreation();
const run = contentCreation.run("AI trends in 2024");

// Without options: the start and the end of the run, what functions give, and what agents and teams say.
let speaker: unknown;
for await (const { event, pipelineName, stepName, parentRunId, content } of run.events()) {
  if (event === "WorkflowStarted") console.log(`${pipelineName} has started.`);
  if (event === "WorkflowCompleted") console.log("\nIt has ended.");
  if (parentRunId) continue; // a member of the team, which answers its leader
  if (event !== "RunContent" && event !== "TeamRunContent") continue;
  if (stepName !== speaker) console.log(`\n--- ${stepName}`);
  speaker = stepName;
  process.stdout.write(String(content));
}

// The run is a promise, too.
console.log((await run).status);
