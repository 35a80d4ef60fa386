/** Where two values of JSON differ, by path. */

export interface Difference {
  readonly path: string;
  /** `undefined` where there is none. */
  readonly a: unknown;
  readonly b: unknown;
}

/** The deepest places that differ, in order, at most `most` of them. The path of a value that differs as a whole is empty. */
export function differencesOf(a: unknown, b: unknown, most = 100): readonly Difference[] {
  const found: Difference[] = [];
  const walk = (one: unknown, other: unknown, path: string): void => {
    if (found.length >= most || Object.is(one, other)) return;
    const names = isCompound(one) && isCompound(other) && Array.isArray(one) === Array.isArray(other);
    if (!names) return void found.push({ path, a: one, b: other });
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const inner = path === "" ? name : `${path}.${name}`;
      const [a, b] = [(one as Fields)[name], (other as Fields)[name]];
      if (Object.hasOwn(one, name) && Object.hasOwn(other, name)) walk(a, b, inner);
      else if (found.length < most) found.push({ path: inner, a, b });
    }
  };
  walk(a, b, "");
  return found;
}

type Fields = Readonly<Record<string, unknown>>;

function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
