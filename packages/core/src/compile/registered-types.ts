/**
 * What a workflow registers besides the events of its steps: events and classes that only occur inside of other values.
 *
 * @module
 */
import type { EventClass } from "../event/event.js";
import { storableTypes } from "../event/event-codec.js";
import { isEventClass } from "../event/facts.js";
import { EventRegistry } from "../event/registry.js";
import type { Finding } from "../graph/validate.js";
import { describeExcess, warnNear } from "../value/limits.js";
import type { ValueType } from "../value/storable.js";
import type { ResolvedWorkflowOptions } from "./options.js";

/** Static members of a class, or options of `defineWorkflow`. */
export interface RegisteredTypes {
  readonly events?: readonly EventClass[];
  readonly types?: readonly ValueType[];
}

/** Merges the types of the class with those in the options of the instance. */
export function registeredTypes(
  { events = [], types = [] }: RegisteredTypes,
  options: ResolvedWorkflowOptions,
): Required<RegisteredTypes> {
  return {
    events: [...new Set([events, options.events].flat())],
    types: [...new Set([types, options.types].flat())],
  };
}

export function checkRegistered({ events, types }: Required<RegisteredTypes>): Finding[] {
  const findings: Finding[] = [];
  for (const given of events as readonly unknown[]) {
    if (isEventClass(given)) continue;
    const message = `The workflow has ${typeof given === "function" ? given.name || "a function" : typeof given} among its \`events\`, which is not an event class.`;
    findings.push({ check: "option", message, hint: "List classes of events; other classes go into `types`." });
  }
  const names = types.map((type) => String(type?.name));
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index && !name.startsWith("@")) continue;
    const why = name.startsWith("@") ? "which is a name of the engine's own" : "and another of that name";
    findings.push({
      check: "option",
      message: `The workflow registers the type "${name}", ${why}.`,
      hint: "Name each type differently: stored values contain the name.",
    });
  }
  return findings;
}

/** @throws {WorkflowError} `WORKFLOW_INVALID` when two classes have the same type. */
export function createRegistry(
  named: readonly EventClass[],
  { events, types }: Required<RegisteredTypes>,
  { name, log }: ResolvedWorkflowOptions,
): EventRegistry {
  const registry = new EventRegistry([...named, ...events], types);
  warnNear(storableTypes(registry), (path, excess) =>
    log.info(
      `A value of "${name}" is near its limit: ${path} has ${describeExcess(excess).replace(", more than the", " of the")}. Larger values are refused; this warning appears once.`,
    ),
  );
  return registry;
}
