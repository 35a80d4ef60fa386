/**
 * A result that keeps nothing of the live session state: its objects are views, which go on changing and cannot be stored.
 * Plain objects and lists are copied, all else stays.
 */
export function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainCopy(part)]));
}
