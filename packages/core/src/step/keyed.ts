import type { WorkflowEvent } from "../event/event.js";

const brand: unique symbol = Symbol.for("millrace.keyed");

/** An event of a streaming fan-out with a name of its own. Made by {@link keyed}. */
export interface Keyed<out Event = WorkflowEvent> {
  readonly [brand]: true;
  readonly id: string;
  readonly event: Event;
}

/**
 * Names what an async generator yields: when the step runs again, its yields are matched by `id`, not by position.
 * So the source may answer in another order the second time.
 *
 * @example
 * for await (const row of rows) yield keyed(row.id, new RowFound({ row }));
 */
export function keyed<Event extends WorkflowEvent>(id: string, event: Event): Keyed<Event> {
  return { [brand]: true, id, event };
}

export function isKeyed(value: unknown): value is Keyed {
  return typeof value === "object" && value !== null && brand in value;
}
