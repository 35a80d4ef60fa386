/** Converts the events of a run to those that are printed. */

import type { StepOutput } from "@millrace/pipeline";
import type { RecordedEvent } from "@millrace/pipeline";

export interface Facts {
  /** Identifies the step or group in its pipeline. */
  readonly key: string;
  /** `null` for steps of nested pipelines. */
  readonly stepId: string | null;
  readonly name: string;
  /** 0 for a step of the pipeline itself. */
  readonly depth: number;
  /** Position of the top-level step that contains it; `null` when unknown, or in a nested pipeline. */
  readonly position: number | null;
  /** Number of pipelines around its pipeline. */
  readonly nesting: number;
  readonly atMs: number;
}

export type StepEvent =
  | (Facts & { readonly kind: "begins"; readonly group: string | null })
  | (Facts & { readonly kind: "iterates"; readonly iteration: number })
  | (Facts & { readonly kind: "says"; readonly text: string })
  /** The earlier text of the step does not count. */
  | (Facts & { readonly kind: "retries"; readonly attempt: number })
  /** The executor of the step has paused, and its text is complete. */
  | (Facts & { readonly kind: "pauses" })
  /** A nested pipeline has ended. */
  | { readonly kind: "closes"; readonly nesting: number }
  | (Facts & { readonly kind: "output"; readonly output: StepOutput })
  | (Facts & { readonly kind: "ends"; readonly group: string | null; readonly output: StepOutput | null })
  | (Facts & { readonly kind: "fails"; readonly message: string });

const groupEvent = /^(Steps|Loop|Parallel|Condition|Router)Execution(Started|Completed)$/;
const contentEvent = /^(Team)?RunContent$/;
const executorEnd = /^(Team)?Run(Completed|Error|Cancelled|Paused)$/;
const pipelineEnd = /^Workflow(Completed|Error|Cancelled)$/;
const pause = /^(Step|StepExecutor|Condition|Router)Paused$/;

/** Ids of a run's steps by name, because the error event of a step may have no id. */
export type StepIds = Map<string, string>;

/** Returns `null` for an event that is not printed. */
export function toStepEvent(event: RecordedEvent, atMs: number, ids: StepIds): StepEvent | null {
  const nesting = nestingOf(event);
  if (nesting > 0 && pipelineEnd.test(event.event)) return { kind: "closes", nesting };
  const facts = factsOf(event, atMs, ids);
  if (facts === null || isOfMember(event)) return null;
  if (contentEvent.test(event.event)) return said(event, facts);
  if (executorEnd.test(event.event) || pause.test(event.event)) return { ...facts, kind: "pauses" };
  const [, group = null, phase] = groupEvent.exec(event.event) ?? [];
  if (group !== null)
    return phase === "Started" ? { ...facts, kind: "begins", group } : { ...facts, kind: "ends", group, output: null };
  return ofStep(event, facts);
}

/** Members of a team speak to the team, which may run several at once. */
function isOfMember(event: RecordedEvent): boolean {
  return typeof event["parentRunId"] === "string" && (contentEvent.test(event.event) || executorEnd.test(event.event));
}

function said(event: RecordedEvent, facts: Facts): StepEvent | null {
  const text = event["content"];
  return typeof text === "string" && text !== "" ? { ...facts, kind: "says", text } : null;
}

function ofStep(event: RecordedEvent, facts: Facts): StepEvent | null {
  switch (event.event) {
    case "StepStarted":
      return { ...facts, kind: "begins", group: null };
    case "StepRetried":
      return { ...facts, kind: "retries", attempt: Number(event["attempt"]) };
    case "LoopIterationStarted":
      return { ...facts, kind: "iterates", iteration: Number(event["iteration"]) };
    case "StepOutput":
      return isOutput(event["stepOutput"]) ? { ...facts, kind: "output", output: event["stepOutput"] } : null;
    case "StepCompleted": {
      const output = event["stepResponse"];
      return { ...facts, kind: "ends", group: null, output: isOutput(output) ? output : null };
    }
    case "StepError":
      return { ...facts, kind: "fails", message: String(event["error"]) };
    default:
      return null;
  }
}

function isOutput(value: unknown): value is StepOutput {
  return typeof value === "object" && value !== null && "content" in value;
}

function factsOf(event: RecordedEvent, atMs: number, ids: StepIds): Facts | null {
  const { stepName, stepIndex, pipelineId } = event;
  const name = typeof stepName === "string" ? stepName : event["stepId"];
  if (typeof name !== "string") return null;
  const nesting = nestingOf(event);
  const stepId = event["stepId"] ?? ids.get(`${nesting}:${name}`);
  if (typeof stepId === "string") ids.set(`${nesting}:${name}`, stepId);
  const path: readonly unknown[] = Array.isArray(stepIndex) ? stepIndex : [stepIndex];
  const [first] = path;
  return {
    key: `${nesting}:${pipelineId}:${typeof stepId === "string" ? stepId : name}`,
    stepId: nesting === 0 && typeof stepId === "string" ? stepId : null,
    name,
    nesting,
    depth: nesting + path.length - 1,
    position: nesting === 0 && typeof first === "number" ? first : null,
    atMs,
  };
}

function nestingOf({ nestedDepth }: RecordedEvent): number {
  return typeof nestedDepth === "number" ? nestedDepth : 0;
}
