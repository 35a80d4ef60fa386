/** The events of a run that are printed, in the terms of printing. */
import type { RecordedEvent } from "../compile/pipeline-state.types.js";
import type { StepOutput } from "../data/step-output.types.js";

export interface Facts {
  /** The step or group, in its pipeline. */
  readonly key: string;
  /** `null`: of a pipeline inside. */
  readonly stepId: string | null;
  readonly name: string;
  /** 0: a step of the pipeline itself. */
  readonly depth: number;
  /** Of the top-level step that it belongs to. `null`: not known, or of a pipeline inside. */
  readonly position: number | null;
  /** How many pipelines are around its pipeline. */
  readonly nesting: number;
  readonly atMs: number;
}

export type StepEvent =
  | (Facts & { readonly kind: "begins"; readonly group: string | null })
  | (Facts & { readonly kind: "iterates"; readonly iteration: number })
  | (Facts & { readonly kind: "says"; readonly text: string })
  /** What it has said so far does not count. */
  | (Facts & { readonly kind: "retries"; readonly attempt: number })
  /** What an executor of the step has said is over. */
  | (Facts & { readonly kind: "pauses" })
  /** A pipeline inside has ended. */
  | { readonly kind: "closes"; readonly nesting: number }
  | (Facts & { readonly kind: "gives"; readonly output: StepOutput })
  | (Facts & { readonly kind: "ends"; readonly group: string | null; readonly output: StepOutput | null })
  | (Facts & { readonly kind: "fails"; readonly message: string });

const groupEvent = /^(Steps|Loop|Parallel|Condition|Router)Execution(Started|Completed)$/;
const content: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent"]);
const executorEnd = /^(Team)?Run(Completed|Error|Cancelled|Paused)$/;
const pipelineEnd = /^Workflow(Completed|Error|Cancelled)$/;
const pause = /^(Step|StepExecutor|Condition|Router)Paused$/;

/** Of the steps of a run, by their names: the error of one may tell no id. */
export type StepIds = Map<string, string>;

/** Null for an event that is nothing to print. */
export function toStepEvent(event: RecordedEvent, atMs: number, ids: StepIds): StepEvent | null {
  const nesting = nestingOf(event);
  if (nesting > 0 && pipelineEnd.test(event.event)) return { kind: "closes", nesting };
  const facts = factsOf(event, atMs, ids);
  if (facts === null || isOfMember(event)) return null;
  if (content.has(event.event)) return said(event, facts);
  if (executorEnd.test(event.event) || pause.test(event.event)) return { ...facts, kind: "pauses" };
  const [, group = null, phase] = groupEvent.exec(event.event) ?? [];
  if (group !== null)
    return phase === "Started" ? { ...facts, kind: "begins", group } : { ...facts, kind: "ends", group, output: null };
  return ofStep(event, facts);
}

/** What members of a team say is for the team, which may ask several at once. */
function isOfMember({ event, parentRunId }: RecordedEvent): boolean {
  return typeof parentRunId === "string" && (content.has(event) || executorEnd.test(event));
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
      return isOutput(event["stepOutput"]) ? { ...facts, kind: "gives", output: event["stepOutput"] } : null;
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
