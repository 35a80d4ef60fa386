/**
 * The core events of one pipeline: one class per place that a run can come to.
 *
 * @module
 */
import { type EventClass, event, type WorkflowEvent } from "millrace";
import { anything } from "./anything.js";
import type { Move, Step } from "./pipeline-state.types.js";

/** Shown to readers of the stream: an event of the pipeline's own catalogue. */
export interface ShownEvent extends WorkflowEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type ShownClass = EventClass<ShownEvent> & (new (fields: Pick<ShownEvent, "name" | "data">) => ShownEvent);
export const Shown: ShownClass = event("pipeline.shown", { name: anything, data: anything }) as never;

type Target = Pick<Step, "to" | "node">;

export interface PlaceEvent extends WorkflowEvent {
  readonly frame: string;
  readonly at: number;
  readonly visit: number;
  readonly from: number;
}

export class PipelineEvents {
  readonly #classes: Map<string, EventClass> = new Map();

  of({ to, node }: Target): EventClass {
    const type = node === "" ? `pipeline.${to}` : `pipeline.${to} ${node}`;
    let found = this.#classes.get(type);
    if (!found)
      this.#classes.set(
        type,
        (found = event(type, {
          frame: anything,
          at: anything,
          visit: anything,
          from: anything,
        }) as unknown as EventClass),
      );
    return found;
  }

  make(move: Move): WorkflowEvent {
    const { frame, at, visit, from } = move;
    return new (this.of(move) as new (fields: object) => WorkflowEvent)({ frame, at, visit, from });
  }
}
