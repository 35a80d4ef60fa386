/**
 * Returns `false` only when the schema certainly accepts its own output, so that a checked value can be checked again.
 *
 * Standard Schema does not say so, therefore this reads the description of zod 4 schemas: only a transform or a pipe
 * (which a codec is) may return what it does not accept. Schemas of other vendors are never certain.
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
  /** Set for `z.lazy`. */
  readonly getter?: () => unknown;
}

function definitionOf(schema: unknown): Definition | undefined {
  const definition = (schema as { _zod?: { def?: Partial<Definition> } } | null | undefined)?._zod?.def;
  return definition?.type === undefined ? undefined : (definition as Definition);
}
