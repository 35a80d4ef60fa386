/**
 * Events of a run in their stored form: without the fields common to all events of the run, and with short outputs.
 *
 * @module
 */
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

/** Where an event about an output has it. */
const outputFields = { StepOutput: "stepOutput", StepCompleted: "stepResponse" } as const;
type AboutOutput = keyof typeof outputFields;
const usualName = "StepOutput";

/** To be read with {@link fromStoredEvent}. */
export interface StoredEvent {
  /** @default "StepOutput" */
  readonly name?: string;
  /** What the event is about: the same object as in the state of the run. */
  readonly output?: StoredOutput;
  /** Milliseconds from the end of the output to the event. @default 0 */
  readonly afterMs?: number;
  readonly data?: Fields;
}

/** @param base Fields that every event of the run has. */
export function toStoredEvent(event: Fields, base: Fields): StoredEvent {
  const data: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) {
    const isKnown = value === base[name] || (name === "createdAt" && value === secondsOf(event));
    // Readers have the position of an event in the stream.
    if (value === undefined || name === "event" || name === "eventIndex" || isKnown) continue;
    data[name] = withOutputs(value, depths[name], toStored);
  }
  return { name: String(event["event"]), data };
}

/** An event with nothing but its output. @param base Fields of a nested run, which its readers lack. */
export function storedAbout(
  name: AboutOutput,
  output: StepOutput,
  { createdAtMs, base }: { readonly createdAtMs: number; readonly base: Fields | null },
): StoredEvent {
  const afterMs = createdAtMs - (output.endedAtMs ?? 0);
  return {
    ...(name !== usualName && { name }),
    output: toStored(output),
    ...(afterMs !== 0 && { afterMs }),
    ...(base !== null && { data: { ...base, ...parentOf(output) } }),
  };
}

export function fromStoredEvent(stored: StoredEvent, base: Fields): Fields {
  const { name = usualName, data = {}, output, afterMs = 0 } = stored;
  const event: Record<string, unknown> = { event: name, ...base };
  if (output !== undefined) {
    const whole = fromStored(output);
    Object.assign(event, saidBy(name as AboutOutput, whole), { createdAtMs: (whole.endedAtMs ?? 0) + afterMs });
  }
  for (const [field, value] of Object.entries(data)) event[field] = withOutputs(value, depths[field], fromStored);
  return { ...event, createdAt: data["createdAt"] ?? secondsOf(event) };
}

/** Fields of an event about an output. */
export function saidBy(name: AboutOutput, output: StepOutput): Fields {
  const { stepId, stepName, content, success, error, stop } = output;
  return {
    stepId,
    stepName,
    stepIndex: stepId.split(".").map(Number),
    ...parentOf(output),
    ...("content" in output && { content }),
    success,
    ...(name === usualName && { error, stop }),
    [outputFields[name]]: output,
  };
}

function parentOf({ stepId }: StepOutput): Fields {
  const end = stepId.lastIndexOf(".");
  return end < 0 ? {} : { parentStepId: stepId.slice(0, end) };
}

function secondsOf({ createdAtMs }: Fields): number {
  return Math.floor(Number(createdAtMs) / 1000);
}

function withOutputs(value: unknown, depth: number | undefined, change: (output: never) => unknown): unknown {
  if (depth === undefined || typeof value !== "object" || value === null) return value;
  if (depth === 0) return change(value as never);
  return Array.isArray(value) ? value.map((part) => withOutputs(part, depth - 1, change)) : value;
}
