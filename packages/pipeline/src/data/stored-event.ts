/**
 * Events that a run shows, as they are stored: without what every event of the run says, and with short outputs.
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

/** Fields that an event has beside an output with the same. */
const repeated = ["stepId", "stepName", "content"] as const;

/** @param base What every event of the run says. */
export function toStoredEvent(event: Fields, base: Fields): Fields {
  const short: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) {
    if (name in base && value === base[name]) continue;
    const depth = depths[name];
    short[name] = depth === undefined ? value : withOutputs(value, depth, shortOf(event));
  }
  if (short["createdAt"] === secondsOf(event)) delete short["createdAt"];
  return short;
}

/** Takes a whole event, too: those that were stored before are. */
export function fromStoredEvent(short: Fields, base: Fields): Fields {
  const event: Record<string, unknown> = { ...base, createdAt: secondsOf(short) };
  for (const [name, value] of Object.entries(short)) {
    const depth = depths[name];
    event[name] = depth === undefined ? value : withOutputs(value, depth, wholeOf(short));
  }
  return event;
}

function secondsOf({ createdAtMs }: Fields): number {
  return Math.floor(Number(createdAtMs) / 1000);
}

function withOutputs(value: unknown, depth: number, change: (output: never) => unknown): unknown {
  if (depth > 0) return Array.isArray(value) ? value.map((part) => withOutputs(part, depth - 1, change)) : value;
  return typeof value === "object" && value !== null ? change(value as never) : value;
}

/** Of the output that the event is about, what the event itself has is left out. */
function shortOf(event: Fields): (output: StepOutput) => unknown {
  return (output) => {
    if (output !== event["stepOutput"] && output !== event["stepResponse"]) return toStored(output);
    const left = Object.entries(toStored(output)).filter(
      ([name, value]) => !(repeated as readonly string[]).includes(name) || value !== event[name],
    );
    return Object.fromEntries(left);
  };
}

function wholeOf(short: Fields): (output: StoredOutput) => StepOutput {
  return (output) => {
    if ((output as unknown) !== short["stepOutput"] && (output as unknown) !== short["stepResponse"])
      return fromStored(output);
    const said = repeated.filter((name) => name in short).map((name) => [name, short[name]] as const);
    return fromStored({ ...Object.fromEntries(said), ...output } as unknown as StoredOutput);
  };
}
