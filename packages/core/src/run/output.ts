/** What a step gave back, checked against what it declares. */
import type { EventData } from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass, WorkflowEvent } from "../event/event.js";
import { classOf, isEvent } from "../event/facts.js";
import type { CompiledStep } from "../workflow/compile.js";

export function checkOutput(step: CompiledStep, value: unknown): EventData | readonly EventData[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return checkEvent(step, value);
  for (const element of value) checkEvent(step, element);
  return value as readonly EventData[];
}

export function checkEvent(step: CompiledStep, value: unknown): EventData {
  if (isEvent(value)) {
    if (step.emits.has(classOf(value))) return value;
    throw undeclared(step, value, "emits");
  }
  throw new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `Step "${step.definition.name}" gave back ${describe(value)}; it may give an event, an array of events, an async generator of events, or nothing.`,
    hint: "Wrap the value in an event: `return new StopEvent({ result: value })`.",
    details: { step: step.definition.name },
  });
}

export function undeclared(
  step: CompiledStep,
  event: WorkflowEvent,
  option: "emits" | "waits" | "streams",
): WorkflowError {
  const { name } = step.definition;
  const declared = [...step.definition[option]];
  const twin = declared.includes(event.type) ? " by another class of that type" : "";
  return new WorkflowError({
    code: "EVENT_UNDECLARED",
    message: `Step "${name}" uses ${event.type}, which its \`${option}\` does not list${twin}: ${declared.join(", ") || "nothing"}.`,
    hint: `Add the class to \`${option}\` of the step.`,
    details: { step: name, event: event.type, option, declared },
  });
}

export function isGenerator(value: unknown): value is AsyncGenerator<WorkflowEvent, void> {
  if (isEvent(value)) return false; // nearly always: looking for what an event does not have takes longer
  const generator = value as { next?: unknown; [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof generator?.[Symbol.asyncIterator] === "function" && typeof generator.next === "function";
}

function describe(value: unknown): string {
  if (typeof value === "function")
    return `a function${(value as unknown as EventClass).type ? " (an event class: use `new`)" : ""}`;
  if (typeof value === "object") return `an object of ${(value as object).constructor?.name ?? "no class"}`;
  return `the ${typeof value} ${String(value).slice(0, 40)}`;
}
