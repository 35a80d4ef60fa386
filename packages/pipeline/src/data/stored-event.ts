/**
 * Events of a run in their stored form: without the fields common to all events of the run, and with short outputs.
 *
 * @module
 */
import { contentOfSteps } from "./deepest-content.js";
import type { StepOutput } from "./step-output.types.js";
import { fromStored, type StoredOutput, toStored } from "./stored-output.js";

type Fields = Readonly<Record<string, unknown>>;

/** Fields with one output, with a list of outputs, with a list of such lists. */
const depths: Partial<Readonly<Record<string, 0 | 1 | 2>>> = {
  stepOutput: 0,
  stepResponse: 0,
  stepResults: 1,
  iterationResults: 1,
  allResults: 2,
};

/** Where an event about the output of a step has it. */
const outputFields = { StepOutput: "stepOutput", StepCompleted: "stepResponse" } as const;
type AboutStep = keyof typeof outputFields;
const usualName = "StepOutput";
/** Of a nested run. */
const runEnd = "WorkflowCompleted";
/** What an event about the output of a group may say. */
const groupFields: ReadonlySet<string> = new Set([
  "stepId",
  "stepName",
  "stepIndex",
  "content",
  "executedSteps",
  "stepResults",
  "totalIterations",
  "allResults",
]);

const beforeIt = "before";
/** In the place of a content that is that of the last of its `stepResults`. */
const ofSteps = "hasContentOfSteps";

/** To be read with {@link fromStoredEvent}. */
export interface StoredEvent {
  /** @default "StepOutput" */
  readonly name?: string;
  /** What the event is about: the same object as in the state of the run, or that of the event before, which is of the same commit. */
  readonly output?: StoredOutput | typeof beforeIt;
  /** Milliseconds from the end of the output to the event. @default 0 */
  readonly afterMs?: number;
  readonly data?: Fields;
}

/**
 * @param base Fields that every event of the run has.
 * @param group Of an event about the output of a group: the output, which says most of it.
 */
export function toStoredEvent(event: Fields, base: Fields, group?: StepOutput): StoredEvent {
  const data: Record<string, unknown> = {};
  if (hasContentOfSteps(event)) data[ofSteps] = true;
  for (const [name, value] of Object.entries(event)) {
    const isKnown = value === base[name] || (name === "createdAt" && value === secondsOf(event));
    // Readers have the position of an event in the stream.
    if (value === undefined || name === "event" || name === "eventIndex" || isKnown) continue;
    if ((group !== undefined && groupFields.has(name)) || (ofSteps in data && name === "content")) continue;
    data[name] = withOutputs(value, depths[name], toStored);
  }
  const output = group === undefined ? {} : { output: toStored(group) };
  return { name: String(event["event"]), ...output, data };
}

interface About {
  readonly createdAtMs: number;
  /** Fields of a nested run, which its readers lack. */
  readonly base: Fields | null;
  /** Whether the event before is about the same output, and of the same commit. */
  readonly again?: boolean;
}

/** An event with nothing but its output. */
export function storedAbout(name: AboutStep, output: StepOutput, about: About): StoredEvent {
  const { createdAtMs, base, again = false } = about;
  const afterMs = createdAtMs - (output.endedAtMs ?? 0);
  return {
    ...(name !== usualName && { name }),
    output: again ? beforeIt : toStored(output),
    ...(afterMs !== 0 && { afterMs }),
    ...(base !== null && { data: { ...base, ...parentOf(output) } }),
  };
}

/** @param before The event before it in the stream. */
export function fromStoredEvent(stored: StoredEvent, base: Fields, before: StoredEvent | null = null): Fields {
  const { name = usualName, data = {}, afterMs = 0 } = stored;
  const output = stored.output === beforeIt ? before?.output : stored.output;
  const event: Record<string, unknown> = { event: name, ...base };
  if (output !== undefined && output !== beforeIt) {
    const whole = fromStored(output);
    const said = name in outputFields ? saidBy(name as AboutStep, whole) : saidByGroup(whole);
    Object.assign(event, said, { createdAtMs: (whole.endedAtMs ?? 0) + afterMs });
  }
  for (const [field, value] of Object.entries(data)) event[field] = withOutputs(value, depths[field], fromStored);
  if (name === runEnd && event[ofSteps] === true) {
    event["content"] = contentOfSteps(event["stepResults"] as readonly StepOutput[]);
    delete event[ofSteps];
  }
  return { ...event, createdAt: data["createdAt"] ?? secondsOf(event) };
}

/** Fields of an event about the output of a step. */
export function saidBy(name: AboutStep, output: StepOutput): Fields {
  const { success, error, stop } = output;
  return {
    ...placeOf(output),
    success,
    ...(name === usualName && { error, stop }),
    [outputFields[name]]: output,
  };
}

/** Of an event about the output of a group. */
export function saidByGroup(output: StepOutput): Fields {
  const { stepType, steps, iterations } = output;
  const all = iterations ?? [];
  if (stepType === "Loop") return { ...placeOf(output), totalIterations: all.length, allResults: all };
  return { ...placeOf(output), executedSteps: steps.length, stepResults: steps };
}

function placeOf(output: StepOutput): Fields {
  const { stepId, stepName, content } = output;
  const stepIndex = stepId.split(".").map(Number);
  return { stepId, stepName, stepIndex, ...parentOf(output), ...("content" in output && { content }) };
}

function parentOf({ stepId }: StepOutput): Fields {
  const end = stepId.lastIndexOf(".");
  return end < 0 ? {} : { parentStepId: stepId.slice(0, end) };
}

function hasContentOfSteps({ event, content, stepResults }: Fields): boolean {
  return event === runEnd && content !== undefined && content === contentOfSteps(stepResults as never);
}

function secondsOf({ createdAtMs }: Fields): number {
  return Math.floor(Number(createdAtMs) / 1000);
}

function withOutputs(value: unknown, depth: number | undefined, change: (output: never) => unknown): unknown {
  if (depth === undefined || typeof value !== "object" || value === null) return value;
  if (depth === 0) return change(value as never);
  return Array.isArray(value) ? value.map((part) => withOutputs(part, depth - 1, change)) : value;
}
