/**
 * Converts the input of `run` to the start event.
 *
 * @module
 */
import { isOfSecondCopy, ofSecondCopy, secondCopyHint } from "../errors/second-copy.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass, WorkflowEvent } from "../event/event.js";
import { classOf, eventTypeOf, isEvent } from "../event/facts.js";
import type { CompiledWorkflow } from "./compile.js";

/**
 * An event is used as it is; fields become a start event. Of several start events it is the one that accepts the
 * fields. A plain `StartEvent`, which accepts any fields, is used only when they fit no other.
 *
 * @throws {WorkflowError} `EVENT_INVALID` for invalid fields; `START_AMBIGUOUS` when none or more than one of several
 * start events accepts them; `EVENT_NOT_ACCEPTED` for an event that no step starts with.
 */
export function resolveStart(compiled: CompiledWorkflow, input: unknown): WorkflowEvent {
  const { startClasses } = compiled;
  if (isEvent(input)) return acceptedStart(compiled, input);
  const [only, ...others] = startClasses;
  if (only && others.length === 0) return new only(input);
  const refusals: WorkflowError[] = [];
  const fitting: WorkflowEvent[] = [];
  for (const startClass of startClasses) {
    if (eventTypeOf(startClass) === "StartEvent" && fitting.length > 0) continue;
    const made = tryMake(startClass, input);
    if (WorkflowError.is(made)) refusals.push(made);
    else fitting.push(made);
  }
  const [start, ...more] = fitting;
  if (!start) throw fitsNone(compiled, refusals);
  if (more.length > 0) throw fitsSeveral(compiled, fitting);
  return start;
}

function acceptedStart({ name, startClasses }: CompiledWorkflow, event: WorkflowEvent): WorkflowEvent {
  if (startClasses.includes(classOf(event))) return event;
  const isSecond = isOfSecondCopy(event);
  throw new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Workflow "${name}" does not start with ${event.type}${isSecond ? ` ${ofSecondCopy}` : ""}.`,
    hint: isSecond ? secondCopyHint : `Start it with ${startClasses.map(eventTypeOf).join(" or ")}.`,
    details: { event: event.type, accepted: startClasses.map(eventTypeOf) },
  });
}

function tryMake(startClass: EventClass, input: unknown): WorkflowEvent | WorkflowError {
  try {
    return new startClass(input);
  } catch (error) {
    if (WorkflowError.is(error, "EVENT_INVALID")) return error;
    throw error;
  }
}

function fitsSeveral({ name }: CompiledWorkflow, fitting: readonly WorkflowEvent[]): WorkflowError {
  const types = fitting.map((event) => event.type);
  return new WorkflowError({
    code: "START_AMBIGUOUS",
    message: `The input fits several start events of workflow "${name}": ${types.join(", ")}.`,
    hint: `Pass an instance of the one you mean: \`new ${types[0]}(…)\`.`,
    details: { types },
  });
}

function fitsNone({ name }: CompiledWorkflow, refusals: readonly WorkflowError[]): WorkflowError {
  return new WorkflowError({
    code: "START_AMBIGUOUS",
    message: `The input fits none of the start events of workflow "${name}": ${refusals.map((error) => error.message).join(" ")}`,
    hint: "Pass the fields of one of them, or an instance of it.",
    details: { issues: refusals.map((error) => error.details) },
  });
}
