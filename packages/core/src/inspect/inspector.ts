import { EventEmitter } from "eventemitter3";
import type { Log } from "../engine/ports.js";
import type { TraceContext } from "../engine/state.js";
import { assertFunction } from "../value/options.js";
import type { Inspection, InspectionEvents, InspectionName } from "./inspection-events.js";
import type { StartingRun, Telemetry } from "./telemetry.types.js";

// unknown: the result is ignored, except that a rejected promise goes to the log port.
export type InspectionListener<Name extends InspectionName> = (payload: InspectionEvents[Name]) => unknown;

const any = "*";

/** Listeners to the runs of one workflow. Costs nothing without listeners, and cannot change the runs. */
export class Inspector {
  readonly #log: Log;
  #emitter: EventEmitter | null = null;
  /** One at a time. */
  telemetry: Telemetry | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `true` when there is a listener. */
  get active(): boolean {
    return this.#emitter !== null || this.tracer !== null;
  }

  /** The telemetry, while it is active. */
  get tracer(): Telemetry | null {
    return this.telemetry?.isActive === true ? this.telemetry : null;
  }

  /** The trace context that a new run starts in. */
  traceOf(run: StartingRun): TraceContext | null {
    return this.tracer === null ? run.trace : this.tracer.onStart(run);
  }

  /** Adds a listener and returns the function that removes it. Its errors go to the log port. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void {
    assertFunction(listener, "listener");
    return this.#listen(name, listener as (payload: unknown) => unknown);
  }

  /** Adds a listener for all events. */
  onAny(listener: (inspection: Inspection) => unknown): () => void {
    return this.#listen(any, listener as (payload: unknown) => unknown);
  }

  /** Creates the payload only if this name has listeners. */
  emit<Name extends InspectionName>(
    name: Name,
    makePayload: () => InspectionEvents[Name],
    to: "all" | "listeners" | "tracer" = "all",
  ): void {
    const emitter = this.#emitter;
    const isHeard = emitter !== null && to !== "tracer" && emitter.listenerCount(name) + emitter.listenerCount(any) > 0;
    const tracer = to === "listeners" ? null : this.tracer;
    if (!isHeard && tracer === null) return;
    const payload = makePayload();
    tracer?.onInspection({ name, payload } as Inspection);
    if (!isHeard) return;
    emitter.emit(name, payload);
    emitter.emit(any, { name, payload });
  }

  #listen(name: string, listener: (payload: unknown) => unknown): () => void {
    const emitter = (this.#emitter ??= new EventEmitter());
    const guarded = async (payload: unknown): Promise<void> => {
      try {
        await listener(payload);
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
