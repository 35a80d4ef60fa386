/**
 * Rows as the values of one statement: an array for each column.
 *
 * @module
 */
import type { Transaction } from "../connection/transaction.js";
import { bytes, longText, numbers, texts } from "../text/values.js";

interface ValueOf {
  readonly bigint: number | string;
  readonly boolean: boolean;
  readonly text: string;
  readonly bytea: Buffer;
}

/** A row of the columns `"run bigint, text text"`. */
export type RowOf<Spec extends string> = Spec extends `${infer First}, ${infer Rest}`
  ? RowOf<First> & RowOf<Rest>
  : Spec extends `${infer Name} ${infer Type extends keyof ValueOf}`
    ? { readonly [Column in Name]: ValueOf[Type] | null | undefined }
    : never;

/** Columns with their types, as `"run bigint, text text"`. */
export class Columns<Spec extends string> {
  readonly names: readonly string[];
  /** Calls the rows `i` in FROM. Their arrays are values of the statement. */
  readonly input: string;
  readonly #types: readonly string[];

  /** @param from Number of the first value. */
  constructor(spec: Spec, from = 1) {
    const columns = spec.split(", ").map((column) => column.split(" ") as [name: string, type: string]);
    this.names = columns.map(([name]) => name);
    this.#types = columns.map(([, type]) => type);
    const arrays = this.#types.map((type, index) => `$${index + from}::${type}[]`);
    this.input = `unnest(${arrays.join(", ")}) AS i(${this.names.join(", ")})`;
  }

  values(rows: readonly RowOf<Spec>[]): string[] {
    return this.names.map((name, index) => {
      const values = rows.map((row) => (row[name as keyof typeof row] ?? null) as never);
      if (this.#types[index] === "text") return texts(values);
      return this.#types[index] === "bytea" ? bytes(values) : numbers(values);
    });
  }
}

/** The statements that add rows to a table. */
export interface Addition<Spec extends string> {
  readonly columns: Columns<Spec>;
  readonly many: string;
  readonly one: string;
}

export function additionTo<Spec extends string>(table: string, spec: Spec, rest = ""): Addition<Spec> {
  const columns = new Columns(spec);
  const { names, input } = columns;
  const into = `INSERT INTO @${table} (${names.join(", ")})`;
  const one = `${into} VALUES (${names.map((_, index) => `$${index + 1}`).join(", ")}) ${rest}`;
  return { columns, many: `${into} SELECT * FROM ${input} ${rest}`, one };
}

/** Sends each row with a long text on its own, and the others together. */
export function sendRows<Spec extends string>(
  transaction: Transaction,
  { columns, many, one }: Addition<Spec>,
  rows: readonly RowOf<Spec>[],
): void {
  const short: RowOf<Spec>[] = [];
  for (const row of rows) {
    const values = columns.names.map((name) => row[name as keyof typeof row] as unknown);
    const length = values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    if (length < longText) short.push(row);
    else transaction.send(one, values);
  }
  if (short.length > 0) transaction.send(many, columns.values(short));
}

export const isLong = (text: string): boolean => text.length >= longText;

/** `null` for a text that is sent separately. */
export const short = (text: string | null | undefined): string | null =>
  typeof text === "string" && !isLong(text) ? text : null;
