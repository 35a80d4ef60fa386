/** Counts of what has ended, by series and time slot. */
import { type CountedMeasures, kindOf, type Series, statisticsRowOf } from "millrace/engine";
import type { StatisticsQuery, StatisticsRow } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { Interned } from "../tables/interned.js";
import { bytes, hashOf, numberOf, texts } from "../text/values.js";
import { Columns, type RowOf } from "./columns.js";

/** A row of counts. */
export const countColumns =
  "series bigint, slot bigint, status text, range bigint, count bigint, first_at bigint, last_at bigint";
export type CountRow = RowOf<typeof countColumns>;
const find = "SELECT id, encode(hash, 'hex') AS hash FROM @series WHERE hash = ANY($1::bytea[])";
const see = "UPDATE @series SET seen_at = now() WHERE hash = ANY($1::bytea[]) AND seen_at < now() - interval '1 day'";
const columns = new Columns(
  "hash bytea, tenant bigint, kind text, workflow text, workflow_number bigint, step text, version text, failure text, text text",
);
const add = `INSERT INTO @series (${columns.names.join(", ")}) SELECT * FROM ${columns.input} ON CONFLICT (hash) DO NOTHING`;

/** The number of rows that a process adds, on average, before it moves all. */
const foldEvery = 1_000;
/** A number of a series is remembered for less than a day: see `delete_measures`. */
const freshMs = 12 * 3_600_000;
const maxKnown = 20_000;

export class Measures {
  readonly #database: Database;
  readonly #tenants: Interned;
  readonly #known = new Map<string, number>();
  #clearedAtMs = Date.now();
  #isFolding = false;

  constructor(database: Database, tenants: Interned) {
    this.#database = database;
    this.#tenants = tenants;
  }

  /** Makes sure that each series has a number, before the transaction that counts it. */
  async ensure(counted: readonly CountedMeasures[]): Promise<void> {
    if (Date.now() - this.#clearedAtMs > freshMs || this.#known.size > maxKnown) this.#forget();
    const all = new Map(counted.map(({ series }) => [series.key, series]));
    // All processes lock rows in one order, so they wait for each other and do not deadlock.
    const missing = [...all.values()]
      .filter(({ key }) => !this.#known.has(key))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    if (missing.length === 0) return;
    await this.#tenants.ensure(missing.map(({ tenant }) => tenant));
    const hashes = bytes(missing.map(({ key }) => hashOf(key)));
    const rows = await this.#database.use(async (session) => {
      await session.all(see, [hashes]);
      const found = await session.all(find, [hashes]);
      if (found.length === missing.length) return found;
      await session.all(add, columns.values(missing.map((series) => this.#seriesRow(series))));
      return session.all(find, [hashes]);
    });
    const ids = new Map(rows.map(({ id, hash }) => [hash as string, id as number]));
    for (const { key } of missing) {
      const id = ids.get(hashOf(key).toString("hex"));
      if (id !== undefined) this.#known.set(key, id);
    }
  }

  #seriesRow(series: Series) {
    const { key, tenant, workflow, step, version, failure } = series;
    return {
      hash: hashOf(key),
      tenant: this.#tenants.known(tenant),
      kind: kindOf(series),
      workflow,
      workflow_number: numberOf(workflow),
      step,
      version,
      failure: failure?.id,
      text: failure?.text,
    };
  }

  rowsOf(counted: readonly CountedMeasures[]): CountRow[] {
    return counted.map(({ series, slot, status, range, count, firstAtMs, lastAtMs }) => {
      const id = this.#known.get(series.key) ?? 0;
      return { series: id, slot, status, range, count, first_at: firstAtMs, last_at: lastAtMs };
    });
  }

  /** Called after rows were stored. By chance, so that processes that live for a few commits do it as well. */
  stored(rows: number): void {
    if (this.#isFolding || Math.random() * foldEvery >= rows) return;
    this.#isFolding = true;
    const done = (): void => {
      this.#isFolding = false;
    };
    // Rows that stay are moved the next time.
    this.#locked("SELECT CASE WHEN pg_try_advisory_xact_lock($1) THEN @fold_measures() END", []).then(done, done);
  }

  async delete(tenant: string | null, slot: number): Promise<number> {
    if (tenant !== null) await this.#tenants.ensure([tenant]);
    const id = tenant === null ? null : this.#tenants.known(tenant);
    const text = "SELECT pg_advisory_xact_lock($1), @delete_measures($2::bigint, $3::bigint) AS deleted";
    return Number((await this.#locked(text, [id, slot]))[0]?.["deleted"] ?? 0);
  }

  #locked(text: string, values: readonly unknown[]) {
    const lock = hashOf(`millrace measures ${this.#database.path}`).readBigInt64BE().toString();
    return this.#database.all(text, [lock, ...values]);
  }

  #forget(): void {
    this.#known.clear();
    this.#clearedAtMs = Date.now();
  }
}

const wanted = `SELECT id FROM @series WHERE tenant = (SELECT id FROM @tenants WHERE hash = $1) AND kind = $2
  AND ($3::text[] IS NULL OR workflow = ANY($3::text[]))`;
const both = ["measures", "fresh_measures"].map(
  (table) => `SELECT * FROM @${table} WHERE series = ANY(ARRAY(${wanted})) AND slot >= $4 AND slot < $5`,
);
const read = `SELECT s.workflow, s.step, s.version, s.failure, s.text, m.* FROM (
    SELECT series, (slot - $4) / $6 AS period, status, range, sum(count)::bigint AS count,
      min(first_at) AS first_at, max(last_at) AS last_at
    FROM (${both.join(" UNION ALL ")}) AS found GROUP BY 1, 2, 3, 4
  ) AS m JOIN @series s ON s.id = m.series`;

export async function readMeasures(database: Database, query: StatisticsQuery): Promise<StatisticsRow[]> {
  const { tenant, kind, workflows, fromSlot, toSlot, slots } = query;
  const names = workflows === undefined ? null : texts(workflows);
  const rows = await database.all(read, [hashOf(tenant), kind, names, fromSlot, toSlot, slots]);
  return rows.map(statisticsRowOf);
}
