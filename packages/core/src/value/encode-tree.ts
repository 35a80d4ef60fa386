/**
 * Values to JSON, with a tree beside it that names the form of each part which JSON cannot hold.
 *
 * The tree has the format of superjson: paths, with a backslash before a dot or backslash in a name. Plain JSON stays the same
 * reference. Which values have a form, the caller says: the engine and the client of a server know different ones.
 *
 * @module
 */

/** `json` alone for plain JSON; `meta` describes the parts that stand for other values. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** The name of a form in `meta`. */
export type FormTag = string | readonly ["custom", string];

/** Forms by path; or the form of the value itself, and those of its parts. */
export type Tree = Parts | readonly [FormTag] | readonly [FormTag, Parts];
export interface Parts {
  [path: string]: Tree;
}

/** How values of one kind are written. */
export interface Form {
  readonly tag: FormTag;
  /** The value as JSON. Parts of it that JSON cannot hold are encoded in turn. */
  encode(value: never): unknown;
  /** Absent for immutable values. */
  copy?(value: never, copyPart: (part: unknown) => unknown): unknown;
}

/** The form of a value; `undefined` if JSON holds it. `container` is the array or object that the value is in. */
export type FormOf = (value: unknown, container?: object) => Form | undefined;

/** Encodes a value that was checked: what has no form must be JSON, and nothing may contain itself. */
export function encodeTree(value: unknown, formOf: FormOf): EncodedValue {
  const form = formOf(value);
  if (form !== undefined) {
    const { json, tree } = encodeAs(form, value, formOf);
    return { json, meta: tree };
  }
  if (!isContainer(value)) return { json: value };
  const parts: Parts = {};
  const json = encodeParts(value, "", { parts, formOf });
  return isEmpty(parts) ? { json } : { json, meta: parts };
}

interface Encoding {
  readonly parts: Parts;
  readonly formOf: FormOf;
}

function encodeAs(form: Form, value: unknown, formOf: FormOf): { json: unknown; tree: Tree } {
  const parts: Parts = {};
  const given = form.encode(value as never);
  const json = isContainer(given) ? encodeParts(given, "", { parts, formOf }) : given;
  return { json, tree: isEmpty(parts) ? [form.tag] : [form.tag, parts] };
}

/** The container itself if no part is replaced, otherwise a copy. The paths in `parts` begin with `prefix`. */
function encodeParts(container: object, prefix: string, encoding: Encoding): unknown {
  const { parts, formOf } = encoding;
  let copy: Record<string, unknown> | null = null;
  const put = (key: string, part: unknown): void => {
    if (typeof part === "string" || typeof part === "boolean" || part === null) return;
    const form = formOf(part, container);
    if (form === undefined && !isContainer(part)) return;
    const path = prefix + key.replaceAll("\\", "\\\\").replaceAll(".", "\\.");
    let json: unknown;
    if (form === undefined) json = encodeParts(part as object, `${path}.`, encoding);
    else ({ json, tree: parts[path] } = encodeAs(form, part, formOf));
    if (json === part) return;
    copy ??= (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
    copy[key] = json;
  };
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++) {
      const item = container[index];
      // Most long arrays are of numbers.
      if (typeof item !== "number" || !Number.isFinite(item) || Object.is(item, -0)) put(String(index), item);
    }
  } else for (const key of Object.keys(container)) put(key, (container as Record<string, unknown>)[key]);
  return copy ?? container;
}

function isEmpty(parts: Parts): boolean {
  return Object.keys(parts).length === 0;
}

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
