/** Where two values of plain JSON differ. */

export interface Difference {
  readonly path: readonly (string | number)[];
  /** Left out: it is not there. */
  readonly a?: unknown;
  readonly b?: unknown;
}

export function differencesOf(a: unknown, b: unknown, path: Difference["path"] = []): Difference[] {
  if (Object.is(a, b)) return [];
  if (Array.isArray(a) && Array.isArray(b)) {
    const length = Math.max(a.length, b.length);
    return Array.from({ length }, (_none, index) => differencesOf(a[index], b[index], [...path, index])).flat();
  }
  if (isObject(a) && isObject(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name) => differencesOf(a[name], b[name], [...path, name]));
  }
  return [{ path, ...(a !== undefined && { a }), ...(b !== undefined && { b }) }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
