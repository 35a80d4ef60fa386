/**
 * The core events of one pipeline: one class per place that a run can come to.
 *
 * @module
 */
import { type EventClass, event, type WorkflowEvent } from "millrace";
import type { StoredEvent } from "../data/stored-event.js";
import type { PipelineNode } from "../nodes/node.types.js";
import { anything } from "./anything.js";
import type { Move, Step } from "./pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";

/** Shown to readers of the stream: an event of the pipeline's own catalogue. */
export interface ShownEvent extends WorkflowEvent, StoredEvent {}

type ShownClass = EventClass<ShownEvent> & (new (fields: StoredEvent) => ShownEvent);
export const Shown: ShownClass = event("pipeline.shown", {
  name: anything,
  output: anything,
  afterMs: anything,
  data: anything,
}) as never;

type Target = Pick<Step, "to" | "node">;

export interface PlaceEvent extends WorkflowEvent {
  readonly frame: string;
  readonly at: number;
  readonly visit: number;
}

export class PipelineEvents {
  readonly #classes: Map<string, EventClass> = new Map();
  readonly #tree: PipelineTree;

  constructor(tree: PipelineTree) {
    this.#tree = tree;
  }

  of({ to, node }: Target): EventClass {
    const type = placeType(to, node === "" ? null : this.#tree.node(node));
    let found = this.#classes.get(type);
    if (!found)
      this.#classes.set(
        type,
        (found = event(type, {
          frame: anything,
          at: anything,
          visit: anything,
        }) as unknown as EventClass),
      );
    return found;
  }

  make(move: Move): WorkflowEvent {
    const { frame, at, visit } = move;
    return new (this.of(move) as new (fields: object) => WorkflowEvent)({ frame, at, visit });
  }
}

/** With its name: whoever looks for a step that is gone is told which one it was. */
function placeType(to: Step["to"], node: PipelineNode | null): string {
  return node === null ? `pipeline.${to}` : `pipeline.${to} ${node.id} ${node.name}`;
}

/** The step that an event of this type is for. Null: it is none of a step. */
export function stepOfType(type: string): string | null {
  return /^pipeline\.\w+ [\d.]+ (.*)$/s.exec(type)?.[1] ?? null;
}
