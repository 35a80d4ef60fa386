import { EventEmitter } from "eventemitter3";
import type { Log } from "../engine/ports.js";
import type { InspectionEvents, InspectionName } from "./inspection-events.js";

// unknown: what it gives back is nobody's business; a promise that rejects goes to the log port.
export type InspectionListener<Name extends InspectionName> = (payload: InspectionEvents[Name]) => unknown;

/** Any inspection event, told apart by `name`. */
export type Inspection = {
  readonly [Name in InspectionName]: { readonly name: Name; readonly payload: InspectionEvents[Name] };
}[InspectionName];

const any = "*";

/** Who watches the runs of one workflow. Costs nothing until somebody does, and cannot change what it watches. */
export class Inspector {
  readonly #log: Log;
  #emitter: EventEmitter | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Somebody listens to something. */
  get active(): boolean {
    return this.#emitter !== null;
  }

  /** Gives the way to stop listening. What a listener throws goes to the log port. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void {
    return this.#listen(name, listener as (told: unknown) => unknown);
  }

  /** Listens to everything. */
  onAny(listener: (inspection: Inspection) => unknown): () => void {
    return this.#listen(any, listener as (told: unknown) => unknown);
  }

  /** The payload is made only when somebody listens to this name. */
  emit<Name extends InspectionName>(name: Name, makePayload: () => InspectionEvents[Name]): void {
    const emitter = this.#emitter;
    if (emitter === null || emitter.listenerCount(name) + emitter.listenerCount(any) === 0) return;
    const payload = makePayload();
    emitter.emit(name, payload);
    emitter.emit(any, { name, payload });
  }

  #listen(name: string, listener: (told: unknown) => unknown): () => void {
    const emitter = (this.#emitter ??= new EventEmitter());
    const guarded = async (told: unknown): Promise<void> => {
      try {
        await listener(told);
      } catch (error) {
        this.#log.error(`A listener of "${name}" failed.`, error);
      }
    };
    emitter.on(name, guarded);
    return () => {
      emitter.off(name, guarded);
      if (emitter === this.#emitter && emitter.eventNames().length === 0) this.#emitter = null;
    };
  }
}
