/** Checks what a step waits for. */
import { WorkflowError } from "../../errors/workflow-error.js";
import { AnswerEvent } from "../../event/built-in-events.js";
import type { EventClass } from "../../event/event.js";
import { eventTypeOf, isSubclass, roleOf } from "../../event/facts.js";
import { comesFromOutside } from "../../graph/validate.js";
import { encodeValue } from "../../value/codec.js";
import { isRecord } from "../../value/kind.js";
import type { AttemptCore } from "../run.types.js";
import { undeclared } from "./output.js";
import { inScopeText, scopeDetails } from "./scopes.js";
import { stepError } from "./step-error.js";

/** The list of one type, shared by all waits. */
function alone(type: string): readonly string[] {
  let list = alones.get(type);
  if (!list) alones.set(type, (list = [type]));
  return list;
}
const alones = new Map<string, readonly string[]>();

/** The types that a call accepts when it names this class. */
export function acceptedFor({ step, run }: AttemptCore, event: EventClass): readonly string[] {
  const type = eventTypeOf(event);
  if (!step.subclasses) return alone(type);
  const { registry } = run.host.compiled;
  return registry.types().filter((name) => isSubclass(registry.get(name) as EventClass, event));
}

/** A function, or a value that no event can hold, would never match. */
export function assertWhere({ step, run }: AttemptCore, type: string, where: unknown): void {
  if (isRecord(where)) return void encodeValue(where, `where of ${type}`, run.host.compiled.values);
  const { name } = step.definition;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`where\` of step "${name}" for ${type} is not a record of fields.`,
    hint: "Pass the fields and their values: `{ orderId: 7 }`.",
    details: { option: "where", step: name, event: type },
  });
}

/** The hint leads to a valid workflow. */
export function waitUndeclared({ step, run }: AttemptCore, event: EventClass): WorkflowError {
  const type = eventTypeOf(event);
  const error = undeclared(step, event.prototype, "waits");
  const isEmitted = [...run.host.routing.steps.values()].some(({ emits }) => emits.includes(type));
  const role = roleOf(event);
  if (comesFromOutside(role) || (isEmitted && role === "event")) return error;
  const hint =
    role === "event"
      ? `No step emits ${type}: make it an \`ExternalEvent\`, which comes from outside, and add it to \`waits\` of the step.`
      : "Wait for an `ExternalEvent` or a `HumanResponseEvent`: this one is never delivered to a wait.";
  const { code, message, details } = error;
  return new WorkflowError({ code, message, hint, details });
}

export function waitKeyRequired({ step }: AttemptCore, type: string, scope: string): WorkflowError {
  const what = type === AnswerEvent.type ? "asks two questions at once" : `waits for ${type} twice at once`;
  return stepError(step, {
    code: "WAIT_KEY_REQUIRED",
    what: `${what}${inScopeText(scope)}: a later attempt could not distinguish the two`,
    hint: "Use a different `key` for each. To wait for the first of them, use `ctx.race`, which closes the others.",
    details: { event: type, ...scopeDetails(scope) },
  });
}
