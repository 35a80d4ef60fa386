// What every kind of container tells, in a tree. `pnpm --filter millrace-examples container-events`
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineEvent,
  Router,
  Step,
  type StepInput,
  Steps,
} from "@millrace/pipeline";

const say = (name: string, text: string) => new Step({ name, executor: () => text });

/** Half of it each time. */
function shorten({ previousStepContent: text }: StepInput) {
  return String(text).slice(0, Math.ceil(String(text).length / 2));
}

export function createNewsletter(): Pipeline {
  return new Pipeline({
    name: "Newsletter",
    steps: [
      new Parallel("research", say("news", "It rained in Bergen."), say("weather", "It will rain again.")),
      new Steps({ name: "write", steps: [say("title", "Rain"), say("text", "It rained in Bergen, and will again.")] }),
      new Loop({
        name: "polish",
        maxIterations: 5,
        steps: [new Step({ name: "shorten", executor: shorten })],
        forwardIterationOutput: true,
        endCondition: ([shortened]) => String(shortened?.content).length < 10,
      }),
      new Condition({
        name: "is_urgent",
        evaluator: ({ input }) => /urgent/i.test(String(input)),
        steps: [say("ring", "Ring, ring.")],
        elseSteps: [say("wait", "It can wait.")],
      }),
      new Router({
        name: "channel",
        selector: () => ["letter", "website"], // in this order
        choices: [say("website", "It is on the website."), say("letter", "It is in the post.")],
      }),
    ],
    streamEvents: true, // of every run that does not say otherwise
  });
}

/** What an event of this kind says besides its name. */
function detail(event: PipelineEvent): unknown {
  switch (event.event) {
    case "ParallelExecutionStarted":
      return `${event.parallelStepCount} branches`;
    case "StepsExecutionStarted":
      return `${event.stepsCount} steps`;
    case "LoopExecutionStarted":
      return `at most ${event.maxIterations} times`;
    case "LoopIterationStarted":
      return event.iteration;
    case "LoopIterationCompleted":
      return event.shouldContinue ? "again" : "enough";
    case "LoopExecutionCompleted":
      return `${event.totalIterations} times`;
    case "ConditionExecutionStarted":
      return event.conditionResult ? "it holds" : "it does not hold";
    case "RouterExecutionStarted":
      return event.selectedSteps.join(", ");
    case "StepOutput":
      return event.content;
    default:
      return "";
  }
}

if (import.meta.main) {
  await using newsletter = createNewsletter();
  for await (const event of newsletter.run("Write about rain").events()) {
    const { event: name, stepName = "", stepIndex = [] } = event;
    const depth = (stepIndex as readonly number[]).length; // positions from the root, as in [0, 1]
    console.log(`${"  ".repeat(depth)}${name} ${stepName} ${detail(event)}`.trimEnd());
  }
}
