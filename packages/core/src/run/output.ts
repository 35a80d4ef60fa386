/** Checks the output of a step against its declaration. */
import { runLimits } from "../engine/run-limits.js";
import type { EventData, WorkItem } from "../engine/state.js";
import type { Send } from "../engine/tick.js";
import { isOfSecondCopy, ofSecondCopy, secondCopyHint } from "../errors/second-copy.js";
import type { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass, WorkflowEvent } from "../event/event.js";
import { classOf, isEvent, roleOf } from "../event/facts.js";
import type { CompiledStep } from "../workflow/compile.js";
import { invalidResult, stepError } from "./step-error.js";

export function checkOutput(step: CompiledStep, value: unknown): EventData | readonly EventData[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return checkEvent(step, value);
  if (step.elements === null)
    throw invalidResult(
      step,
      `returned an array of ${value.length}`,
      "The step returns an array: list its events in `emits` with many().",
    );
  for (const element of value) checkElement(step, element, "returns an array of");
  return value as readonly EventData[];
}

/** An attempt that adds elements to a fan-out. */
interface Feeding {
  readonly step: CompiledStep;
  readonly item: WorkItem;
  readonly sends: readonly Send[] | null;
}

/** Calls of elements that were sent at once. A WeakMap, because a waiting run pays for every field of its attempts. */
const sentAtOnce = new WeakMap<Feeding, string[]>();

export function noteSentAtOnce(attempt: Feeding, { call }: Send): void {
  const calls = sentAtOnce.get(attempt);
  if (calls === undefined) sentAtOnce.set(attempt, [call]);
  else calls.push(call);
}

/**
 * @param more Number of elements that the step is about to add, besides those that it has sent.
 * @throws {WorkflowError} `FAN_OUT_TOO_LARGE` for an element that no snapshot could hold.
 */
export function assertRoom(attempt: Feeding, more: number): void {
  const { item, sends, step } = attempt;
  const { elements: limit } = runLimits();
  const atOnce = sentAtOnce.get(attempt) ?? [];
  let size = (item.fan?.size ?? 0) + more;
  if (size + atOnce.length + (sends?.length ?? 0) <= limit) return;
  for (const call of atOnce) if (item.memory?.has(call) !== true) size++;
  for (const send of sends ?? []) if (send.isElement === true) size++;
  if (size <= limit) return;
  throw stepError(step, {
    code: "FAN_OUT_TOO_LARGE",
    what: `gives ${size} elements to one fan-out, which may have ${limit}`,
    hint: "Give several things in one element, or let a step take the next part when one part is done.",
    details: { size, limit },
  });
}

function checkEvent(step: CompiledStep, value: unknown): EventData {
  if (!isEvent(value)) throw noEvent(step, value);
  const eventClass = classOf(value);
  if (step.alone.has(eventClass)) return value;
  if (step.elements?.has(eventClass))
    throw invalidResult(
      step,
      `returned one ${value.type}`,
      `The step returns one ${value.type}, where \`emits\` says many(${value.type}): return an array, or drop many().`,
    );
  throw undeclared(step, value, "emits");
}

/** An element of the step's fan-out. */
export function checkElement(
  step: CompiledStep,
  value: unknown,
  verb: "yields" | "returns an array of" = "yields",
): EventData {
  if (value === undefined || value === null)
    throw invalidResult(
      step,
      `${gave[verb]} ${value}`,
      "The elements of a fan-out are events: leave out null and undefined.",
    );
  if (!isEvent(value)) throw noEvent(step, value);
  const eventClass = classOf(value);
  if (step.elements?.has(eventClass)) return value;
  if (step.alone.has(eventClass)) throw invalidResult(step, `${gave[verb]} ${value.type}`, notMany(value, verb));
  throw undeclared(step, value, "emits");
}

const gave = { yields: "yielded", "returns an array of": "returned an array with" };

function notMany(event: WorkflowEvent, verb: string): string {
  if (roleOf(event) === "stop") return `The step ${verb} ${event.type}: a stop event is returned alone.`;
  return `The step ${verb} ${event.type}, where \`emits\` says one: write many(${event.type}).`;
}

/** @throws {WorkflowError} `STEP_RESULT_INVALID` for a generator of a step that does not fan out. */
export function assertFansOut(step: CompiledStep): void {
  if (step.elements !== null) return;
  const types = step.definition.emits.join(", ");
  throw invalidResult(
    step,
    "is a generator",
    `The step yields ${types || "events"}, where \`emits\` says one: write many(${types || "…"}).`,
  );
}

export function returnedByGenerator(step: CompiledStep): WorkflowError {
  return invalidResult(
    step,
    "is a generator and returned something",
    "A generator only yields: what it returns would be lost.",
  );
}

function noEvent(step: CompiledStep, value: unknown): WorkflowError {
  const isIterator = typeof (value as { next?: unknown } | null)?.next === "function";
  return invalidResult(
    step,
    `gave back ${describe(value)}; it may give an event or nothing, with many() an array or an async generator of events`,
    isIterator
      ? "A step that yields is async: write `async *`."
      : "Wrap the value in an event: `return new StopEvent({ result: value })`.",
  );
}

export function undeclared(
  step: CompiledStep,
  event: WorkflowEvent,
  option: "emits" | "waits" | "streams",
): WorkflowError {
  const declared = [...step.definition[option]];
  const isSecond = isOfSecondCopy(event) && declared.includes(event.type);
  const twin = isSecond
    ? `; it is ${ofSecondCopy}`
    : declared.includes(event.type)
      ? " by another class of that type"
      : "";
  return stepError(step, {
    code: "EVENT_UNDECLARED",
    what: `uses ${event.type}, which its \`${option}\` does not list${twin}: ${declared.join(", ") || "nothing"}`,
    hint: isSecond ? secondCopyHint : `Add the class to \`${option}\` of the step.`,
    details: { event: event.type, option, declared },
  });
}

export function isGenerator(value: unknown): value is AsyncGenerator<WorkflowEvent, void> {
  if (isEvent(value)) return false; // nearly always: looking for a missing property takes longer
  const generator = value as { next?: unknown; [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof generator?.[Symbol.asyncIterator] === "function" && typeof generator.next === "function";
}

function describe(value: unknown): string {
  if (typeof value === "function")
    return `a function${(value as unknown as EventClass).type ? " (an event class: use `new`)" : ""}`;
  if (typeof value !== "object" || value === null) return `the ${typeof value} ${String(value).slice(0, 40)}`;
  if (Array.isArray(value)) return "an array";
  const name: unknown = value.constructor?.name;
  if (name === "Object") return plainObject(value);
  return `an object of ${typeof name === "string" && name !== "" ? name : "no class"}`;
}

function plainObject(value: object): string {
  const keys = Object.keys(value);
  const more = keys.length > 3 ? ", …" : "";
  return keys.length === 0 ? "an empty object" : `a plain object with ${keys.slice(0, 3).join(", ")}${more}`;
}
