import type { RunStore } from "millrace/runtime";
import { inject } from "vitest";
import { type PostgresStoreOptions, postgresStore } from "../../src/index.js";
import { query } from "./server.js";

export const databaseUrl: string = inject("databaseUrl");

let number = 0;

/** A schema of its own for one test, and the stores that were opened on it. */
export class TestSchema implements AsyncDisposable {
  readonly name: string;
  readonly #stores: RunStore[] = [];
  #emptying: string | null = null;

  constructor(extra = "") {
    this.name = `test_${process.pid}_${++number}_${Date.now().toString(36)}${extra}`;
  }

  get #quoted(): string {
    return `"${this.name.replaceAll('"', '""')}"`;
  }

  open(options: PostgresStoreOptions = {}): RunStore {
    const place = options.pool === undefined ? { connectionString: databaseUrl, maxConnections: 4 } : {};
    const store = postgresStore({ ...place, schema: this.name, pollMs: 50, ...options });
    this.#stores.push(store);
    return store;
  }

  /** `@name` stands for a name in the schema. */
  query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return query(
      databaseUrl,
      text.replace(/@(\w+)/g, (_, name) => `${this.#quoted}.${name}`),
      values,
    );
  }

  /** Closes the stores and deletes what they have stored: a schema is emptied much faster than made. */
  async empty(): Promise<void> {
    for (const store of this.#stores.splice(0)) await store.close();
    this.#emptying ??= await this.#deletions();
    await this.query(this.#emptying);
  }

  async #deletions(): Promise<string> {
    const tables = await this.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = $1", [this.name]);
    const names = tables.map(({ name }) => name as string).filter((name) => name !== "millrace_version");
    return names.map((name) => `DELETE FROM @${name}`).join(";");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    await query(databaseUrl, `DROP SCHEMA IF EXISTS ${this.#quoted} CASCADE`);
  }
}
