/** Checks the elements that a step adds to its fan-out. */

import type { CompiledStep } from "../../compile/compile.js";
import { runLimits } from "../../engine/run-limits.js";
import type { EventData } from "../../engine/state.js";
import type { WorkflowError } from "../../errors/workflow-error.js";
import type { WorkflowEvent } from "../../event/event.js";
import { classOf, isEvent, roleOf } from "../../event/facts.js";
import type { AttemptCore } from "../run.types.js";
import { noEvent, undeclared } from "./output.js";
import { invalidResult, stepError } from "./step-error.js";

/** Calls of elements that were sent at once. A WeakMap, because a waiting run pays for every field of its attempts. */
const sentAtOnce = new WeakMap<AttemptCore, string[]>();

export function noteSent(attempt: AttemptCore, call: string): void {
  const calls = sentAtOnce.get(attempt);
  if (calls === undefined) sentAtOnce.set(attempt, [call]);
  else calls.push(call);
}

/**
 * @param more Number of elements that the step is about to add, besides those that it has sent.
 * @throws {WorkflowError} `STEP_RESULT_INVALID` for an element that no snapshot could hold.
 */
export function assertRoom(attempt: AttemptCore, more: number): void {
  const { item, sends, step } = attempt;
  const { elements: limit } = runLimits;
  const atOnce = sentAtOnce.get(attempt) ?? [];
  let size = (item.fanOut?.size ?? 0) + more;
  if (size + atOnce.length + (sends?.length ?? 0) <= limit) return;
  for (const call of atOnce) if (item.calls?.has(call) !== true) size++;
  for (const send of sends ?? []) if (send.isElement === true) size++;
  if (size <= limit) return;
  throw stepError(step, {
    code: "STEP_RESULT_INVALID",
    what: `returns ${size} elements for one fan-out; the limit is ${limit}`,
    hint: "Put several things in one element, or let a step start the next part when one part is done.",
    details: { reason: "too_many", size, limit },
  });
}

/** Returns whether the step lists the class of a sent event only with `many()`. */
export function takes(attempt: AttemptCore, event: WorkflowEvent): boolean {
  const { elements, alone } = attempt.step;
  if (elements === null || alone.has(classOf(event))) return false;
  assertRoom(attempt, 1);
  return true;
}

/** An element of the step's fan-out. */
export function checkElement(step: CompiledStep, value: unknown, verb: "yields" | "returns an array of"): EventData {
  if (value === undefined || value === null)
    throw invalidResult(
      step,
      `${verbs[verb]} ${value}`,
      "The elements of a fan-out are events: leave out null and undefined.",
    );
  if (!isEvent(value)) throw noEvent(step, value);
  const eventClass = classOf(value);
  if (step.elements?.has(eventClass)) return value;
  if (step.alone.has(eventClass)) throw invalidResult(step, `${verbs[verb]} ${value.type}`, notMany(value, verb));
  throw undeclared(step, value, "emits");
}

const verbs = { yields: "yielded", "returns an array of": "returned an array with" };

function notMany(event: WorkflowEvent, verb: string): string {
  if (roleOf(event) === "stop") return `The step ${verb} ${event.type}: a stop event is returned alone.`;
  return `The step ${verb} ${event.type}, where \`emits\` says one: write many(${event.type}).`;
}

export function returnedAlone(step: CompiledStep, event: WorkflowEvent): WorkflowError | null {
  if (step.elements?.has(classOf(event)) !== true) return null;
  return invalidResult(
    step,
    `returned one ${event.type}`,
    `The step returns one ${event.type}, where \`emits\` says many(${event.type}): return an array, or drop many().`,
  );
}

export function returnedByGenerator(step: CompiledStep): WorkflowError {
  return invalidResult(
    step,
    "is a generator and returned something",
    "A generator only yields: what it returns would be lost.",
  );
}
