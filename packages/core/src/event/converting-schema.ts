/**
 * True unless it is certain that the schema takes its own output: then a value that was checked once can be checked again.
 *
 * Standard Schema does not say it, so this looks at how zod 4 describes itself: only a transform or a pipe (a codec is one)
 * gives what it would not take. Nothing is certain about schemas of other vendors.
 *
 * @see https://zod.dev/packages/core
 */
export function mayConvert(schema: unknown, seen: Set<unknown> = new Set()): boolean {
  const definition = definitionOf(schema);
  if (!definition || definition.type === "pipe" || definition.type === "transform") return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const parts = [...Object.values(definition), definition.getter?.()];
  return parts
    .flatMap((part) => (typeof part === "object" && part !== null ? [part, ...Object.values(part)] : []))
    .some((part) => definitionOf(part) !== undefined && mayConvert(part, seen));
}

interface Definition {
  readonly type: string;
  /** Of `z.lazy`. */
  readonly getter?: () => unknown;
}

function definitionOf(schema: unknown): Definition | undefined {
  const definition = (schema as { _zod?: { def?: Partial<Definition> } } | null | undefined)?._zod?.def;
  return definition?.type === undefined ? undefined : (definition as Definition);
}
