/** For tests: a pipeline that dies at any moment goes on to the end that it has otherwise. */
import type { Agent } from "@millrace/agents";
import {
  type HumanDecision,
  Pipeline,
  type PipelineOptions,
  type PipelineRunOptions,
  type RequirementData,
} from "@millrace/pipeline";
import { type Proof, proveResumable } from "@millrace/testing";
import type { WorkflowEvent } from "millrace";

export interface ProofOptions extends PipelineRunOptions {
  /** What people say. @default nobody is asked */
  readonly decide?: Decide;
}

type Question = WorkflowEvent & { readonly requirement: RequirementData };
type Decide = (requirement: RequirementData) => HumanDecision;

export function prove(
  create: () => Pipeline,
  input: unknown,
  { decide, ...options }: ProofOptions = {},
): Promise<Proof> {
  // Without the words of the models, each of which would be a moment to die at.
  const request = create().workflowInput(input, { streamExecutorEvents: false, ...options });
  return proveResumable(() => create().workflow, request, {
    compare: sameButTimes,
    seeds: [1, 2],
    ...(decide && { answers: answerWith(decide) }),
  });
}

/** Answers to the prompts of the pipeline's workflow. */
export function answerWith(decide: Decide): (prompt: WorkflowEvent) => { readonly decision: HumanDecision } {
  return (prompt) => ({ decision: decide((prompt as Question).requirement) });
}

/** An agent that works alone, as the only step of a pipeline. */
export function asStep(create: () => Agent): (options?: Partial<PipelineOptions>) => Pipeline {
  return (options = {}) => new Pipeline({ name: "Alone", steps: [create()], ...options });
}

/** When something was and how long it took, and the ids of the runs of agents, are others every time. */
const changing = new Set([
  ...[
    "startedAtMs",
    "endedAtMs",
    "createdAt",
    "createdAtMs",
    "eventIndex",
    "askedAtMs",
    "answeredAtMs",
    "duration",
    "timeToFirstToken",
  ],
  ...["runId", "parentRunId", "stepRunId", "visits"],
]);

function sameButTimes(expected: unknown, actual: unknown): boolean {
  return withoutTimes(expected) === withoutTimes(actual);
}

/** What a run has come to, as text. Events of branches come in any order. */
export function withoutTimes(value: unknown): string {
  return JSON.stringify(value, (key, part) => {
    if (key === "afterMs") return undefined; // it is there only where it is not 0
    if (changing.has(key)) return 0;
    if (key === "events" && Array.isArray(part)) return part.map(withoutTimes).sort();
    return isObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part;
  });
}

/** An output that was loaded has its fields in another order than one that was just made. */
function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

function isObject(part: unknown): part is object {
  return typeof part === "object" && part !== null && !Array.isArray(part);
}
