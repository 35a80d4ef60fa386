/** Deep equality of storable values: plain objects, arrays, Map, Set, Date, URL, typed arrays, primitives (as `Object.is`). */
export function sameValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (Array.isArray(left)) return sameItems(left, right as unknown[]);
  if (left instanceof Map) {
    const other = right as Map<unknown, unknown>;
    return (
      left.size === other.size &&
      [...left].every(([key, value]) => {
        if (other.has(key)) return sameValue(value, other.get(key));
        return typeof key === "object" && [...other].some((entry) => sameItems([key, value], entry));
      })
    );
  }
  if (left instanceof Set) {
    const other = right as Set<unknown>;
    return (
      left.size === other.size &&
      [...left].every(
        (item) =>
          other.has(item) || (typeof item === "object" && [...other].some((candidate) => sameValue(item, candidate))),
      )
    );
  }
  if (left instanceof Date) return Object.is(left.getTime(), (right as Date).getTime());
  if (left instanceof URL) return left.href === (right as URL).href;
  if (ArrayBuffer.isView(left)) return sameItems(left as never, right as never);
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        sameValue((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
    )
  );
}

function sameItems(left: ArrayLike<unknown>, right: ArrayLike<unknown>): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!sameValue(left[index], right[index])) return false;
  }
  return true;
}
