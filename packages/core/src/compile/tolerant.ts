/**
 * A workflow as a reader of runs of newer code has it: events that its own code lacks, or of a newer version, are read with
 * the fields that they have. For reading only: no run is continued with it.
 *
 * @module
 */
import { type EventClass, event } from "../event/event.js";
import { EventRegistry } from "../event/registry.js";
import type { CompiledWorkflow } from "./compile.js";

const tolerants = new WeakMap<CompiledWorkflow, CompiledWorkflow>();

export function tolerant(compiled: CompiledWorkflow): CompiledWorkflow {
  const known = tolerants.get(compiled);
  if (known !== undefined) return known;
  const made = { ...compiled, registry: new TolerantRegistry(compiled.registry) };
  tolerants.set(compiled, made);
  return made;
}

class TolerantRegistry extends EventRegistry {
  readonly #standIns: Map<string, EventClass> = new Map();

  constructor(registry: EventRegistry) {
    super(
      registry.types().map((type) => registry.get(type) as EventClass),
      registry.valueTypes,
    );
  }

  override get(type: string): EventClass | undefined {
    // The constructor of the base asks before there is a place for stand-ins.
    return super.get(type) ?? (#standIns in this && typeof type === "string" ? this.newer(type) : undefined);
  }

  override newer(type: string): EventClass {
    const made = this.#standIns.get(type) ?? (event(type, anyFields) as unknown as EventClass);
    this.#standIns.set(type, made);
    return made;
  }
}

const anyFields = {
  "~standard": { version: 1, vendor: "millrace", validate: (value: unknown) => ({ value: value as object }) },
} as const;
