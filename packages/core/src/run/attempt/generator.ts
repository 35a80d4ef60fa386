/**
 * A step that is an async generator: each yield is a commit point, and is dispatched at once.
 *
 * When it runs again, it must yield the same: recorded elements are compared, and not dispatched again.
 *
 * @module
 */

import type { CompiledStep } from "../../compile/compile.js";
import { runLimits } from "../../engine/definition.js";
import type { ElementsFeature } from "../../engine/optional-modules.js";
import type { EventData } from "../../engine/state.js";
import { invalidResult, stepError, WorkflowError } from "../../errors/workflow-error.js";
import { classOf, isEvent, isKeyed, roleOf, type WorkflowEvent } from "../../event/event.js";
import { encodeEvent } from "../../event/event-codec.js";
import { digest } from "../../value/digest.js";
import type { AttemptCore } from "../live-run.js";
import { nameOf } from "./call-ids.js";
import { type CallPlace, placesOf } from "./call-places.js";
import { noEvent, undeclared } from "./call-step.js";
import { callsOf } from "./calls.js";
import { endWith } from "./finish-step.js";
import { hasFinished } from "./forgotten-calls.js";
import { stampOf } from "./open-call.js";

export const feeding: ElementsFeature = {
  run: runGenerator,
  check(step: CompiledStep, events) {
    for (const event of events) checkElement(step, event, "returns an array of");
  },
  takes,
  returnedAlone,
  assertRoom,
};

function runGenerator(attempt: AttemptCore, generator: AsyncGenerator<unknown, unknown>): void {
  const calls = callsOf(attempt);
  let stopped = false;
  let isAsking = false;
  attempt.generator = {
    pull,
    stop() {
      stopped = true;
      // Runs its `finally` blocks; further elements no longer count.
      generator
        .return(undefined)
        .catch((error) =>
          attempt.run.host.ports.log.error(
            `The generator of step "${attempt.step.definition.name}" failed while it was stopped.`,
            error,
          ),
        );
    },
  };
  pull();

  function pull(): void {
    if (stopped || isAsking) return;
    isAsking = true;
    generator.next().then(
      (next) => {
        if (hasFinished(attempt)) accept(next);
        else attempt.afterCalls(() => accept(next));
      },
      (error: unknown) => attempt.threw(error),
    );
  }

  function accept(next: IteratorResult<unknown, unknown>): void {
    isAsking = false;
    if (stopped) return;
    try {
      if (next.done) done(next.value);
      else take(next.value);
    } catch (error) {
      attempt.fail(error);
    }
  }

  function done(value: unknown): void {
    stopped = true;
    const missing = calls.unasked().find((call) => calls.record(call)?.kind === "yield");
    if (missing !== undefined) throw diverged(attempt, missing, "missing");
    endWith(attempt, value, restOf);
  }

  function take(value: unknown): void {
    const key = isKeyed(value) ? value.id : undefined;
    const event = checkElement(attempt.step, isKeyed(value) ? value.event : value, "yields");
    const call = calls.id(nameOf("yield", "", key));
    const sum = digestOf(attempt, event);
    const record = calls.record(call);
    if (record?.kind === "yield") {
      if (record.digest !== sum) throw diverged(attempt, call, `another ${event.type}`);
      return pull();
    }
    assertRoom(attempt, 1);
    const { sends } = attempt;
    attempt.sends = null;
    attempt.commitSends(sends);
    attempt.run.submit({ type: "step.yielded", ...stampOf(attempt, call), digest: sum, event });
  }
}

/** The generator has ended; without a yield, the batch is empty. */
function restOf({ step, item }: AttemptCore, value: unknown): readonly EventData[] | null {
  if (value !== undefined && value !== null)
    throw invalidResult(
      step,
      "is a generator and returned something",
      "A generator only yields: what it returns would be lost.",
    );
  return item.fanOut === null ? [] : null;
}

function digestOf({ run }: AttemptCore, event: EventData): string {
  const { type, data } = encodeEvent(event as WorkflowEvent, event.type, run.host.compiled.values);
  return digest(`${type} ${JSON.stringify(data)}`);
}

/** The element as its call id names it: `yield:#0`, or `yield=<key>`. */
function elementOf(call: string): string {
  const [{ name, count }] = placesOf(call) as [CallPlace];
  return `Element ${name === "" ? count : JSON.stringify(name)}`;
}

function diverged({ step }: AttemptCore, call: string, what: string): WorkflowError {
  const { name } = step.definition;
  return new WorkflowError({
    code: "FAN_OUT_DIVERGED",
    message: `${elementOf(call)} of the fan-out of step "${name}" was ${what} when the step ran again.`,
    hint: "Make the generator yield the same events in the same order, or name each with `keyed(id, event)`.",
    details: { step: name, call },
  });
}

// ---- checks the elements that a step adds to its fan-out

/**
 * @param more Number of elements that the step is about to add, besides those that it has sent.
 * @throws {WorkflowError} `STEP_RESULT_INVALID` for an element that no snapshot could hold.
 */
function assertRoom(attempt: AttemptCore, more: number): void {
  const { item, sends, step } = attempt;
  const { elements: limit } = runLimits;
  const atOnce = attempt.sentAtOnce ?? [];
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
function takes(attempt: AttemptCore, event: WorkflowEvent): boolean {
  const { elements, alone } = attempt.step;
  if (elements === null || alone.has(classOf(event))) return false;
  assertRoom(attempt, 1);
  return true;
}

/** An element of the step's fan-out. */
function checkElement(step: CompiledStep, value: unknown, verb: "yields" | "returns an array of"): EventData {
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

function returnedAlone(step: CompiledStep, event: WorkflowEvent): WorkflowError | null {
  if (step.elements?.has(classOf(event)) !== true) return null;
  return invalidResult(
    step,
    `returned one ${event.type}`,
    `The step returns one ${event.type}, where \`emits\` says many(${event.type}): return an array, or drop many().`,
  );
}
