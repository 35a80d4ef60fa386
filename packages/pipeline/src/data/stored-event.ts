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
  const field = outputFields[name] ?? "";
  const output = event[field];
  const said = isStepOutput(output) ? saidBy(output, name) : null;
  if (said === null || !Object.keys(said).every((key) => key in event)) return { name, data: left(event, base) ?? {} };
  const { createdAtMs } = event;
  const { endedAtMs = 0 } = output as StepOutput;
  const data = left(event, { ...base, ...said, [field]: output, createdAtMs });
  return {
    ...(name !== usualName && { name }),
    output: toStored(output as StepOutput),
    ...(createdAtMs !== endedAtMs && { afterMs: Number(createdAtMs) - endedAtMs }),
    ...(data !== undefined && { data }),
  };
}

/** Takes a whole event as `data`, too: those that were stored before are. */
export function fromStoredEvent(stored: StoredEvent, base: Fields): Fields {
  const { name = usualName, data = {} } = stored;
  const event: Record<string, unknown> = { event: name, ...base, ...aboutOutput(stored, name) };
  const whole = "event" in data ? wholeOf(data) : fromStored;
  for (const [field, value] of Object.entries(data)) {
    const depth = depths[field];
    event[field] = depth === undefined ? value : withOutputs(value, depth, whole);
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
  const path = stepId.split(".");
  return {
    stepId,
    stepName,
    stepIndex: path.map(Number),
    ...(path.length > 1 && { parentStepId: path.slice(0, -1).join(".") }),
    ...("content" in output && { content }),
    success,
    ...(name === usualName && { error, stop }),
  };
}

/** What is not said anyway. Readers know the place of an event in the stream. */
function left(event: Fields, said: Fields): Fields | undefined {
  const fields: Record<string, unknown> = {};
  let isEmpty = true;
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined || name === "event" || name === "eventIndex" || isSaid(name, value, said)) continue;
    if (name === "createdAt" && value === secondsOf(event)) continue;
    const depth = depths[name];
    fields[name] = depth === undefined ? value : withOutputs(value, depth, toStored);
    isEmpty = false;
  }
  return isEmpty ? undefined : fields;
}

function isSaid(name: string, value: unknown, said: Fields): boolean {
  if (!(name in said)) return false;
  return name === "stepIndex" ? String(value) === String(said[name]) : value === said[name];
}

function secondsOf({ createdAtMs }: Fields): number {
  return Math.floor(Number(createdAtMs) / 1000);
}

function withOutputs(value: unknown, depth: number, change: (output: never) => unknown): unknown {
  if (depth > 0) return Array.isArray(value) ? value.map((part) => withOutputs(part, depth - 1, change)) : value;
  return typeof value === "object" && value !== null ? change(value as never) : value;
}

const repeated = ["stepId", "stepName", "content"] as const;

/** Stored before `output` was a field of its own: of the output that an event is about, what the event itself has was left out. */
function wholeOf(short: Fields): (output: StoredOutput) => StepOutput {
  return (output) => {
    if ((output as unknown) !== short["stepOutput"] && (output as unknown) !== short["stepResponse"])
      return fromStored(output);
    const said = repeated.filter((name) => name in short).map((name) => [name, short[name]] as const);
    return fromStored({ ...Object.fromEntries(said), ...output } as unknown as StoredOutput);
  };
}
