import type { Database } from "../connection/database.js";
import { bytes, hashOf, texts } from "../text/values.js";

type Table = "tenants" | "owners" | "queues";

// Existing names are read and not written: most names exist.
const find = (table: Table): string => `SELECT id, name FROM @${table} WHERE hash = ANY($1::bytea[])`;
const add = (table: Table): string => `INSERT INTO @${table} (hash, name)
  SELECT * FROM unnest($1::bytea[], $2::text[]) ON CONFLICT (hash) DO NOTHING`;
const see = "UPDATE @owners SET seen_at = now() WHERE id = ANY($1::bigint[])";
const cleanOwners = `DELETE FROM @owners o WHERE seen_at < now() - interval '7 days'
  AND NOT EXISTS (SELECT 1 FROM @runs r WHERE r.owner = o.id)`;

/** Age at which the row of an owner is refreshed, well before the cleanup deletes it. */
const freshMs = 86_400_000;
/** A server with more tenants than that asks again for some of them. */
const maxKnown = 20_000;

/** The numbers of long names. Tenants and queues are kept for ever; owners are deleted a week after they were last seen. */
export class Interned {
  readonly #database: Database;
  readonly #table: Table;
  readonly #known = new Map<string, number>();
  #clearedAtMs = Date.now();

  constructor(database: Database, table: Table) {
    this.#database = database;
    this.#table = table;
  }

  /** The number of a name that was asked for, or null. */
  known(name: string): number | null {
    return this.#known.get(name) ?? null;
  }

  async id(name: string): Promise<number> {
    await this.ensure([name]);
    return this.#known.get(name) ?? this.id(name);
  }

  /** Makes sure that each name has a number, which {@link known} then returns. */
  async ensure(names: readonly string[]): Promise<void> {
    if (Date.now() - this.#clearedAtMs > freshMs || this.#known.size > maxKnown) this.forget();
    const missing = [...new Set(names)].filter((name) => !this.#known.has(name));
    if (missing.length === 0) return;
    const table = this.#table;
    const hashes = bytes(missing.map(hashOf));
    const rows = await this.#database.use(async (session) => {
      const found = await session.all(find(table), [hashes]);
      const all = found.length === missing.length ? found : await addAndFind();
      if (table === "owners") await session.all(see, [`{${all.map(({ id }) => id).join(",")}}`]);
      return all;

      async function addAndFind() {
        if (table === "owners") await session.all(cleanOwners, []);
        await session.all(add(table), [hashes, texts(missing)]);
        return session.all(find(table), [hashes]);
      }
    });
    for (const { id, name } of rows) this.#known.set(name as string, id as number);
  }

  forget(): void {
    this.#known.clear();
    this.#clearedAtMs = Date.now();
  }
}
