// The events of a run, kept with it: all of them, the important ones, none. `pnpm --filter millrace-examples stored-events`
import { Agent, type ToolExecution } from "@millrace/agents";
import {
  Parallel,
  Pipeline,
  type PipelineEventName,
  type PipelineOptions,
  type PipelineRunOutput,
  Step,
} from "@millrace/pipeline";
import { call, model } from "./support/model.js";
import { searchWeb } from "./support/research-team.js";

const researcher = new Agent({
  name: "Researcher",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    return toolResults.length > 0 ? toolResults.join("\n") : [call("search_web", { topic: message })];
  }),
  tools: [searchWeb],
  instructions: "Research the topic.",
});

function findPicture(): string {
  throw new Error("No picture was found.");
}

export function createReport(options: Partial<PipelineOptions>): Pipeline {
  return new Pipeline({
    name: "Report",
    steps: [
      new Parallel(
        "gather",
        new Step({ name: "web", executor: researcher }),
        new Step({ name: "archive", executor: () => "The archive has nothing." }),
      ),
      new Step({ name: "picture", executor: findPicture, onError: "skip" }),
      new Step({ name: "write", executor: (input) => `# Report\n${input.getStepContent("web")}` }),
    ],
    ...options,
  });
}

/** The names in Agno's list of events to skip. Every other name of an event may be skipped, too. */
const listedByAgno: readonly PipelineEventName[] = [
  "WorkflowStarted",
  "WorkflowCompleted",
  "WorkflowCancelled",
  "StepStarted",
  "StepCompleted",
  "ParallelExecutionStarted",
  "ParallelExecutionCompleted",
  "ConditionExecutionStarted",
  "ConditionExecutionCompleted",
  "LoopExecutionStarted",
  "LoopExecutionCompleted",
  "RouterExecutionStarted",
  "RouterExecutionCompleted",
];

export const pipelines: Record<string, Partial<PipelineOptions>> = {
  everything: { storeEvents: true },
  // What is skipped is not kept. It is shown as always.
  "the important ones": {
    storeEvents: true,
    eventsToSkip: ["StepStarted", "ParallelExecutionStarted", "RunContent", "StepOutput"],
  },
  "what steps and agents say": { storeEvents: true, eventsToSkip: listedByAgno },
  none: {}, // `storeEvents: false`
};

function toText(tool: unknown) {
  const { toolName, toolArgs } = tool as ToolExecution;
  return `${toolName}(${JSON.stringify(toolArgs)})`;
}

/** For debugging and for audits: what went wrong, and what was done outside. */
function analyze({ events }: PipelineRunOutput) {
  for (const { event, stepName, error, tool } of events) {
    if (event === "StepError") console.log(`  The step "${stepName}" has failed: ${error}`);
    if (event === "ToolCallStarted") console.log(`  The step "${stepName}" calls ${toText(tool)}`);
  }
}

if (import.meta.main) {
  for (const [title, options] of Object.entries(pipelines)) {
    await using report = createReport(options);
    const { runId } = await report.run("Solar power"); // nobody reads its stream

    const stored = await report.handle(runId); // as another process would read it
    const counts = new Map<string, number>();
    for (const { event } of stored.events) counts.set(event, (counts.get(event) ?? 0) + 1);
    console.log(`${title}:`, Object.fromEntries([...counts].sort()));
    analyze(stored);
  }
}
