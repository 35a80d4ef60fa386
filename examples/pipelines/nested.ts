// A pipeline and a workflow as steps of another pipeline. `pnpm --filter millrace-examples nested`
import { Pipeline, type RunContext, Step, type StepInput } from "@millrace/pipeline";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";

interface Translated {
  readonly language: string;
  readonly translated: string[];
}

/** A pipeline of its own. Its input is the content of the step before it; the session state is the one around it. */
const translation = new Pipeline({
  name: "Translation",
  steps: [
    new Step({
      name: "translate",
      executor({ input }: StepInput, { sessionState }: RunContext<Translated>) {
        sessionState.translated.push(sessionState.language);
        return String(input).replace("bread", "brød");
      },
    }),
    new Step({ name: "check", executor: ({ previousStepContent }) => `${previousStepContent} (checked)` }),
  ],
});

/** A workflow of the core. It is told what an agent would be told, as `input`. */
const print = defineWorkflow("print")
  .step("frame", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: `| ${ev.get("input")} |` }))
  .build();

export function createLabel(): Pipeline {
  return new Pipeline({
    name: "Label",
    sessionState: { language: "Danish", translated: [] },
    steps: [
      new Step({ name: "write", executor: ({ input }) => `Fresh ${input}` }),
      translation, // named as it is, or in a step with another name, retries and a timeout
      new Step({ name: "print", executor: print }),
      // What was said inside can be looked up.
      new Step({
        name: "note",
        executor: (input) => `${input.previousStepContent} from "${input.getStepContent("translate")}"`,
      }),
    ],
  });
}

if (import.meta.main) {
  await using label = createLabel();
  const run = label.run("bread", { streamEvents: true });
  for await (const { event, nestedDepth, pipelineName, stepName } of run.events()) {
    const depth = "  ".repeat(Number(nestedDepth));
    if (/Workflow|StepStarted/.test(event)) console.log(`${depth}${event} ${stepName ?? pipelineName}`);
  }

  const { content, stepResults, sessionState } = await run;
  console.log(content);
  for (const { stepName, executorType, steps } of stepResults) {
    console.log(`${executorType}: ${[stepName, ...steps.map((inside) => `  ${inside.stepName}`)].join("\n")}`);
  }
  console.log("Session state:", sessionState);
}
