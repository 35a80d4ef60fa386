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
  /** One more than there are values: each value stands between two. */
  readonly #texts: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(texts: readonly string[], parts: readonly (Sql | SqlValue)[]) {
    const [first = "", ...rest] = texts;
    const [whole, values]: [string[], SqlValue[]] = [[first], []];
    const append = (text: string): void => void whole.push(`${whole.pop()}${text}`);
    for (const [index, part] of parts.entries()) {
      if (part instanceof Sql) {
        const [head = "", ...tail] = part.#texts;
        append(head);
        whole.push(...tail);
        values.push(...part.values);
      } else {
        values.push(part);
        whole.push("");
      }
      append(rest[index] ?? "");
    }
    this.#texts = whole;
    this.values = values;
  }

  /** @param mark Names a value by its number, from 1. */
  text(mark: (number: number) => string): string {
    return this.#texts.reduce((text, next, number) => `${text}${mark(number)}${next}`);
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
  return new Sql(["", ...parts.slice(1).map(() => between), ""], parts);
}
