import { WorkflowError } from "millrace";

/** Origin of a row, for the message about damaged data. */
export interface RowSource {
  readonly path: string;
  readonly table: string;
  readonly key: string;
}

/**
 * Reads the columns of one row and checks their types, which SQLite does not: a file from elsewhere may have other
 * types in its tables. The content of texts is not checked.
 *
 * @throws {WorkflowError} `STORE_CORRUPT` that names table, row and column.
 */
export class Row {
  readonly #source: RowSource;
  readonly #values: { readonly [column: string]: unknown };

  constructor(source: RowSource, values: unknown) {
    this.#source = source;
    this.#values = values as { readonly [column: string]: unknown };
  }

  integer(column: string): number {
    const value = this.#values[column];
    return Number.isSafeInteger(value) ? (value as number) : this.damaged(column, "a whole number");
  }

  integerOrNull(column: string): number | null {
    return this.#values[column] === null ? null : this.integer(column);
  }

  text(column: string): string {
    const value = this.#values[column];
    return typeof value === "string" ? value : this.damaged(column, "a text");
  }

  textOrNull(column: string): string | null {
    return this.#values[column] === null ? null : this.text(column);
  }

  damaged(column: string, expected: string): never {
    const { path, table, key } = this.#source;
    const value = this.#values[column];
    const isShown = value === null || typeof value === "number";
    const found = isShown ? String(value ?? "NULL") : typeof value === "object" ? "a blob" : `a ${typeof value}`;
    throw new WorkflowError({
      code: "STORE_CORRUPT",
      message: `The store "${path}" is damaged: ${table}.${column} of ${key} is ${found}, not ${expected}.`,
      hint: "Put back a copy of the file, or repair the row with the sqlite3 shell.",
      details: { path, table, key, column },
    });
  }
}
