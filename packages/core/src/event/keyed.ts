import type { WorkflowEvent } from "./event.js";

const brand: unique symbol = Symbol.for("millrace.keyed");

/** An event of a generator with its own id. Created by {@link keyed}. */
export interface Keyed<out Event = WorkflowEvent> {
  readonly [brand]: true;
  readonly id: string;
  readonly event: Event;
}

/**
 * Assigns an id to an event of an async generator. When the step runs again, its events are matched by `id` instead of by
 * position, so the source may answer in another order.
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
