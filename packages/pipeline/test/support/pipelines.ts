/** Pipelines and their events in tests: closed when the test ends. */
import { onTestFinished } from "vitest";
import {
  Pipeline,
  type PipelineEvent,
  type PipelineOptions,
  type PipelineRun,
  type PipelineRunOutput,
  Step,
  type StepFunction,
  type StepOptions,
  type StepRequirement,
} from "../../src/index.js";

export function pipeline(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}): Pipeline {
  const made = new Pipeline({ name: "Tested", steps, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** Adds its name to what came before. */
export function step(name: string, options: Partial<StepOptions> = {}): Step {
  return new Step({ name, executor: add(name), ...options });
}

export const add =
  (name: string): StepFunction =>
  (input) =>
    `${input.previousStepContent ?? input.input} ${name}`;

export const fails: StepFunction = () => {
  throw new Error("no");
};

export async function eventsOf(run: PipelineRun, options: { readonly after?: number } = {}): Promise<PipelineEvent[]> {
  const events: PipelineEvent[] = [];
  for await (const event of run.events(options)) events.push(event);
  return events;
}

interface Named {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** `StepStarted a`; of a nested pipeline `> StepStarted a`. */
export function namesOf(events: readonly Named[]): string[] {
  return events.map(({ event, stepName, nestedDepth }) =>
    [">".repeat(Number(nestedDepth)), event, stepName].filter((part) => part !== "" && part !== undefined).join(" "),
  );
}

/** Answers every question of the paused run, until it asks no more. */
export async function answerAll(
  asked: Pipeline,
  paused: PipelineRunOutput,
  say: (requirement: StepRequirement) => void = (requirement) => requirement.confirm(),
): Promise<PipelineRunOutput> {
  let output = paused;
  while (output.status === "PAUSED") {
    for (const requirement of output.requirements) say(requirement);
    output = await asked.continueRun(output);
  }
  return output;
}
