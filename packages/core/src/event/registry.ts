import { WorkflowError } from "../errors/workflow-error.js";
import type { ValueType } from "../value/storable.js";
import { engineEvents } from "./built-in-events.js";
import type { EventClass, WorkflowEvent } from "./event.js";
import { classOf, eventTypeOf } from "./facts.js";

/** The event classes of a workflow by type. The engine's own classes are always included. */
export class EventRegistry {
  /** Value types that the workflow registers, for decoding. */
  readonly valueTypes: readonly ValueType[];
  /** Returns a class for an event of newer code. Only a registry that reads runs of newer code has it. */
  newer?(type: string): EventClass;
  readonly #classes = new Map<string, EventClass>();

  /** @throws {WorkflowError} `WORKFLOW_INVALID` when two classes have the same type. */
  constructor(classes: Iterable<EventClass>, valueTypes: readonly ValueType[] = []) {
    this.valueTypes = valueTypes;
    for (const eventClass of classes) {
      const type = eventTypeOf(eventClass);
      const taken = this.get(type);
      if (taken && taken !== eventClass) throw typeTaken(type, taken, eventClass);
      this.#classes.set(type, eventClass);
    }
  }

  get(type: string): EventClass | undefined {
    return this.#classes.get(type) ?? engineEvents.get(type);
  }

  /** Returns `true` when the exact class of the event is known. */
  has(event: WorkflowEvent): boolean {
    return this.get(event.type) === classOf(event);
  }

  /** Types of the classes that the workflow names, without the engine's. */
  types(): string[] {
    return [...this.#classes.keys()];
  }
}

function typeTaken(type: string, taken: EventClass, second: EventClass): WorkflowError {
  return new WorkflowError({
    code: "WORKFLOW_INVALID",
    message: `The event classes ${taken.name} and ${second.name} both have the type "${type}".`,
    hint: "Change the type of one of them; a class that extends an event gets its own with `.extend(type)`.",
    details: { reason: "type", event: type },
  });
}
