// The same run, word by word as it comes. `pnpm --filter millrace-examples streaming-response`
import { sqliteStore } from "@millrace/sqlite";
import { createContentCreation } from "./content-creation.js";
import { temporaryFile } from "./support/temporary-file.js";

await using contentCreation = createContentCreation({ store: sqliteStore(temporaryFile("workflow.db")) });
const run = contentCreation.run("AI trends in 2024");

// Without options: the start and the end of the run, what functions give, and what agents and teams say.
let speaker: unknown;
for await (const event of run.events()) {
  switch (event.event) {
    case "WorkflowStarted":
      console.log(`${event.pipelineName} has started.`);
      break;
    case "WorkflowCompleted":
      console.log("\nIt has ended.");
      break;
    case "RunContent":
    case "TeamRunContent": // known by the name: it has `content`, a text
      if (event.parentRunId) break; // a member of the team, which answers its leader
      if (event.stepName !== speaker) console.log(`\n--- ${event.stepName}`);
      speaker = event.stepName;
      process.stdout.write(event.content);
  }
}

// The run is a promise, too.
console.log((await run).status);
