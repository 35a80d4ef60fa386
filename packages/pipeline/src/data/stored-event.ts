/**
 * Events that a run shows, as they are stored: without what every event of the run says, and with short outputs.
 *
 * @module
 */
import { isStepOutput } from "./step-output.js";
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

/** Where an event has the output that it is about. */
const outputFields: Partial<Readonly<Record<string, string>>> = {
  StepOutput: "stepOutput",
  StepCompleted: "stepResponse",
};
const usualName = "StepOutput";

/** To be read with {@link fromStoredEvent}. */
export interface StoredEvent {
  /** @default "StepOutput" */
  readonly name?: string;
  /** The same object as in the state of the run. What it says is left out of `data`. */
  readonly output?: StoredOutput;
  /** How long after its output has ended it was told. @default 0 */
  readonly afterMs?: number;
  readonly data?: Fields;
}

/** @param base What every event of the run says. */
export function toStoredEvent(event: Fields, base: Fields): StoredEvent {
  const name = String(event["event"]);
  const output = event[outputFields[name] ?? ""];
  if (!isStepOutput(output) || !hasAllOf(output, name, event)) return { name, data: left(event, base, null) ?? {} };
  const { endedAtMs = 0 } = output;
  const afterMs = Number(event["createdAtMs"]) - endedAtMs;
  const data = left(event, base, output);
  return {
    ...(name !== usualName && { name }),
    output: toStored(output),
    ...(afterMs !== 0 && { afterMs }),
    ...(data !== undefined && { data }),
  };
}

export function fromStoredEvent(stored: StoredEvent, base: Fields): Fields {
  const { name = usualName, data = {} } = stored;
  const event: Record<string, unknown> = { event: name, ...base, ...aboutOutput(stored, name) };
  for (const [field, value] of Object.entries(data)) {
    const depth = depths[field];
    event[field] = depth === undefined ? value : withOutputs(value, depth, fromStored);
  }
  return { ...event, createdAt: data["createdAt"] ?? secondsOf(event) };
}

function aboutOutput({ output, afterMs = 0 }: StoredEvent, name: string): Fields {
  if (output === undefined) return {};
  const whole = fromStored(output);
  const createdAtMs = (whole.endedAtMs ?? 0) + afterMs;
  return { ...saidBy(whole, name), [outputFields[name] ?? ""]: whole, createdAtMs };
}

/** What an event has beside the output that it is about. */
function saidBy(output: StepOutput, name: string): Fields {
  const { stepId, stepName, content, success, error, stop } = output;
  const parentStepId = parentOf(stepId);
  return {
    stepId,
    stepName,
    stepIndex: stepId.split(".").map(Number),
    ...(parentStepId !== null && { parentStepId }),
    ...("content" in output && { content }),
    success,
    ...(name === usualName && { error, stop }),
  };
}

/** Else a reader would find what the event did not have. */
function hasAllOf(output: StepOutput, name: string, event: Fields): boolean {
  return (
    "stepId" in event &&
    "stepName" in event &&
    "stepIndex" in event &&
    "success" in event &&
    ("parentStepId" in event || parentOf(output.stepId) === null) &&
    ("content" in event || !("content" in output)) &&
    (name !== usualName || ("error" in event && "stop" in event))
  );
}

function isSaidBy(output: StepOutput, name: string, value: unknown): boolean {
  switch (name) {
    case "createdAtMs":
      return true; // by `afterMs`
    case "stepIndex":
      return Array.isArray(value) && value.join(".") === output.stepId;
    case "parentStepId":
      return value === parentOf(output.stepId);
    case "stepOutput":
    case "stepResponse":
      return value === output;
    case "stepId":
    case "stepName":
    case "content":
    case "success":
    case "error":
    case "stop":
      return value === output[name];
    default:
      return false;
  }
}

function parentOf(stepId: string): string | null {
  const end = stepId.lastIndexOf(".");
  return end < 0 ? null : stepId.slice(0, end);
}

/** What is not said anyway. Readers know the place of an event in the stream. */
function left(event: Fields, base: Fields, output: StepOutput | null): Fields | undefined {
  let fields: Record<string, unknown> | undefined;
  for (const name of Object.keys(event)) {
    const value = event[name];
    if (value === undefined || name === "event" || name === "eventIndex") continue;
    if (name === "createdAt" && value === secondsOf(event)) continue;
    if ((name in base && value === base[name]) || (output !== null && isSaidBy(output, name, value))) continue;
    const depth = depths[name];
    fields ??= {};
    fields[name] = depth === undefined ? value : withOutputs(value, depth, toStored);
  }
  return fields;
}

function secondsOf({ createdAtMs }: Fields): number {
  return Math.floor(Number(createdAtMs) / 1000);
}

function withOutputs(value: unknown, depth: number, change: (output: never) => unknown): unknown {
  if (depth > 0) return Array.isArray(value) ? value.map((part) => withOutputs(part, depth - 1, change)) : value;
  return typeof value === "object" && value !== null ? change(value as never) : value;
}
