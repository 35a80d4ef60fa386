/**
 * What one part of an order reads and writes. Two parts that touch nothing in common are equal in either order.
 *
 * Keys: `state:count` and `state:user.name` are places of the state, `state:` is all of it, and `state/5:` that of a child. `order:gather` is the order in which events
 * arrive at a step, `call:pay` a call, `event:Approved` the waits for an event, `time` the clock.
 *
 * @module
 */
export interface Access {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** It ends the run, or fails: no other order is equal. */
  readonly isEnd?: boolean;
}

export const noAccess: Access = { reads: [], writes: [] };

export function both(one: Access, other: Access): Access {
  if (one === noAccess) return other;
  return {
    reads: [...one.reads, ...other.reads],
    writes: [...one.writes, ...other.writes],
    isEnd: one.isEnd === true || other.isEnd === true,
  };
}

export function isDependent(one: Access, other: Access): boolean {
  if (one.isEnd === true) return other.isEnd === true || hasEffect(other);
  if (other.isEnd === true) return hasEffect(one);
  return touches(one.writes, other.writes) || touches(one.writes, other.reads) || touches(one.reads, other.writes);
}

/** What was only read before the end is gone with it. */
function hasEffect({ writes }: Access): boolean {
  return writes.length > 0;
}

function touches(some: readonly string[], others: readonly string[]): boolean {
  for (const one of some) for (const other of others) if (overlaps(one, other)) return true;
  return false;
}

/** One is the other, or a part of it. */
export function overlaps(one: string, other: string): boolean {
  return one === other || (one.startsWith("state") && (isWithin(one, other) || isWithin(other, one)));
}

function isWithin(outer: string, inner: string): boolean {
  return inner.startsWith(outer.endsWith(":") ? outer : `${outer}.`);
}

/** @param run Whose state it is: empty, or the id of a child with a state of its own. */
export function placeOf(run: string, path: unknown): string {
  const inner = path === undefined ? "" : Array.isArray(path) ? path.join(".") : String(path);
  return `state${run}:${inner}`;
}

/** The path of a place; empty for all of the state. */
export function pathOf(place: string): string {
  return place.slice(place.indexOf(":") + 1);
}
