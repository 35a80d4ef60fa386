/**
 * SQL as a tagged template: what stands in it is text, what is put in is a value or another part.
 *
 *     sql`q.tenant = ${tenant} AND ${more}`
 *
 * @module
 */

export type SqlValue = string | number | null | Uint8Array;

/** A part of a statement with the values that it binds. */
export class Sql {
  /** One more than there are parts: each part stands between two. */
  readonly #texts: readonly string[];
  readonly #parts: readonly (Sql | SqlValue)[];

  constructor(texts: readonly string[], parts: readonly (Sql | SqlValue)[]) {
    this.#texts = texts;
    this.#parts = parts;
  }

  /** @param mark Names a value by its number, from 1. */
  render(mark: (number: number) => string): { readonly text: string; readonly values: SqlValue[] } {
    const values: SqlValue[] = [];
    const textOf = (part: Sql | SqlValue): string => {
      if (!(part instanceof Sql)) return mark(values.push(part));
      const [first = "", ...rest] = part.#texts;
      let text = first;
      for (const [index, next] of rest.entries()) text += textOf(part.#parts[index] as Sql | SqlValue) + next;
      return text;
    };
    return { text: textOf(this), values };
  }
}

export function sql(texts: readonly string[], ...parts: readonly (Sql | SqlValue)[]): Sql {
  return new Sql(texts, parts);
}

/** Text as it is: for names of the schema, never for what comes from outside. */
export function plainSql(text: string): Sql {
  return new Sql([text], []);
}

export function joinSql(parts: readonly Sql[], between: string): Sql {
  if (parts.length === 0) return plainSql("");
  return new Sql(["", ...parts.slice(1).map(() => between), ""], parts);
}
