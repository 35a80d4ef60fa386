/** What a caller may change when it forks a run: of the event that is delivered next, and of the state. */
import { type ForkState, type Log, WorkflowError, type WorkflowEvent } from "millrace";
import { roleOf } from "millrace/engine";
import type { WorkflowFacts } from "./workflow-facts.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A caller could send such an event anyway, with any fields. Others connect the steps of the workflow, or say what a person has answered.
 *
 * @throws {WorkflowError} `EVENT_NOT_SENDABLE`
 */
export function openFields<Given>(facts: WorkflowFacts, event: WorkflowEvent, fields: Given): Given {
  if (eventProblem(facts, event) === null) return fields;
  throw new WorkflowError({
    code: "EVENT_NOT_SENDABLE",
    message: `Workflow "${facts.name}" does not let callers edit ${event.type} in a fork.`,
    hint: "Fork with `state` alone, or start a new run. The option `internalEvents` of the server lets callers edit every event.",
    details: { event: event.type },
  });
}

/** Why a caller may not edit an event; `null` where it may. */
export function eventProblem({ posted, isOpen }: WorkflowFacts, event: WorkflowEvent): string | null {
  if (isOpen) return null;
  if (roleOf(event) === "humanResponse") return "It contains the answer of a person.";
  return posted.has(event.type) ? null : "It does not come from callers.";
}

/**
 * @param log Gets errors that `forkState` throws: they concern its author, not the caller.
 * @throws {WorkflowError} `STATE_CLOSED` for private state of the workflow, such as decisions of people. `STATE_INVALID` for fields that
 * `forkState` cannot read.
 */
export function assertOpen({ name, compiled }: WorkflowFacts, fields: Fields, log: Log): void {
  const problems = judged(compiled.options.forkState, fields, (error) => {
    log.error(`\`forkState\` of "${name}" has thrown; the fork was refused.`, error);
    throw new WorkflowError({
      code: "STATE_INVALID",
      message: `"${name}" cannot read that state in a fork.`,
      hint: "Keep the type that each field of `state` has in the run.",
      details: { workflow: name },
    });
  });
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "STATE_CLOSED",
    message: `"${name}" does not accept that state in a fork: ${problems.join("; ")}.`,
    hint: "Leave it out of `state`. The workflow's option `forkState` lists the fields that can be set.",
    details: { workflow: name, problems },
  });
}

/** @throws {WorkflowError} `STATE_CLOSED` unless the server lets callers override calls. */
export function assertOverridable({ callOverrides }: { readonly callOverrides: boolean }): void {
  if (callOverrides) return;
  throw new WorkflowError({
    code: "STATE_CLOSED",
    message: "This server does not let callers override a call in a fork.",
    hint: "Leave out `override`, or start the server with `callOverrides: true`.",
  });
}

/** The fields of a state that a caller may not set, not even to what they are. */
export function closedFields({ compiled }: WorkflowFacts, state: unknown): string[] {
  const { forkState } = compiled.options;
  if (forkState === undefined || typeof state !== "object" || state === null) return [];
  return Object.entries(state).flatMap(([name, value]) => (isClosed(forkState, { [name]: value }) ? [name] : []));
}

function isClosed(forkState: ForkState, field: Fields): boolean {
  // A schema that throws may need other fields, too: the fork itself reports the outcome.
  return judged(forkState, field, () => []).length > 0;
}

function judged(
  forkState: ForkState | undefined,
  fields: Fields,
  onThrown: (error: unknown) => readonly string[],
): readonly string[] {
  if (forkState === undefined) return [];
  if (typeof forkState === "function") {
    try {
      return forkState(fields);
    } catch (error) {
      return onThrown(error);
    }
  }
  const open = Array.isArray(forkState) ? forkState : [];
  const closed = Object.keys(fields).filter((name) => !open.includes(name));
  return closed.map((name) => `${JSON.stringify(name)} cannot be set`);
}
