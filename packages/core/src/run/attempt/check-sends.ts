/** Checks what a step sends: to which step, and of which class. */

import { acceptedTypes } from "../../engine/routing.js";
import type { EventData } from "../../engine/state.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import type { WorkflowEvent } from "../../event/event.js";
import { classOf, isEvent, roleOf } from "../../event/facts.js";
import { suggest } from "../../graph/finding.js";
import { formatValue } from "../../value/format-value.js";
import type { AttemptCore } from "../run.types.js";
import { undeclared } from "./output.js";
import { stepError } from "./step-error.js";

export function assertSendable(attempt: AttemptCore, event: WorkflowEvent, option: "emits" | "streams"): void {
  const { step } = attempt;
  if (!isEvent(event)) {
    throw stepError(step, {
      code: "EVENT_NOT_SENDABLE",
      what: `sent ${formatValue(event)}, which is not an event`,
      hint: "Send an instance of an event class.",
    });
  }
  const role = roleOf(event);
  if (role === "stop" || role === "terminal") {
    throw stepError(step, {
      code: "EVENT_NOT_SENDABLE",
      what: `sent ${event.type}, which ends a run`,
      hint: "Return it from the step.",
      details: { event: event.type },
    });
  }
  const eventClass = classOf(event);
  if (step.emits.has(eventClass) || (option === "streams" && step.streams.has(eventClass))) return;
  throw undeclared(step, event, option);
}

export function assertTarget({ run, step }: AttemptCore, event: EventData, target: string): void {
  const { steps } = run.host.routing;
  const found = steps.get(target);
  const details = { step: step.definition.name, target, event: event.type };
  if (!found) {
    throw stepError(step, {
      code: "STEP_UNKNOWN",
      what: `sends ${event.type} to ${formatValue(target)}, and there is no such step`,
      hint: suggest(target, steps.keys()).trim() || `Name one of ${[...steps.keys()].join(", ")}.`,
      details,
    });
  }
  if (acceptedTypes(found).includes(event.type) || found.waits.includes(event.type)) return;
  throw new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Step "${target}" accepts ${acceptedTypes(found).join(", ") || "nothing"}, not ${event.type}.`,
    hint: `Send it to a step that accepts ${event.type}, or without \`step\`.`,
    details,
  });
}
