/**
 * The processes that hold leases. After a `kill -9`, the next process can take the leases of the dead one before they
 * expire.
 *
 * A wrong decision is safe: taking a lease raises the epoch, so an owner that is declared dead by mistake has its next
 * commit refused and stops. The README lists the limits.
 *
 * @module
 */
import type { Database } from "../connection/database.js";
import type { Processes } from "../connection/machine.js";
import { Row } from "../connection/row.js";

const put = `INSERT INTO owners (owner, machine, pid, started) VALUES (?, ?, ?, ?)
  ON CONFLICT (owner) DO UPDATE SET machine = excluded.machine, pid = excluded.pid, started = excluded.started`;
const get = "SELECT machine, pid, started FROM owners WHERE owner = ?";
const all = "SELECT owner FROM owners";
const removeIdle = "DELETE FROM owners WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE owner = owners.owner)";
// One index look-up per owner, however many runs the owner holds.
const holders = `WITH RECURSIVE holder (owner) AS (
    SELECT min(owner) FROM runs WHERE owner IS NOT NULL
    UNION ALL
    SELECT (SELECT min(owner) FROM runs WHERE owner IS NOT NULL AND owner > holder.owner) FROM holder
    WHERE holder.owner IS NOT NULL
  ) SELECT owner FROM holder WHERE owner IS NOT NULL`;

export class Owners {
  readonly #database: Database;
  readonly #processes: Processes;
  readonly #registered = new Set<string>();

  constructor(database: Database, processes: Processes) {
    this.#database = database;
    this.#processes = processes;
  }

  /** Records that this process acts for the owner, in the transaction that grants the owner a lease. */
  register(owner: string): void {
    if (this.#registered.has(owner)) return;
    const { machine, pid, started } = this.#processes.self;
    this.#database.sql(put).run(owner, machine, pid, started);
    this.#registered.add(owner);
  }

  /** Forgets what a failed transaction has registered. */
  forget(): void {
    this.#registered.clear();
  }

  isDead(owner: string): boolean {
    if (this.#registered.has(owner)) return false;
    const values = this.#database.sql(get).get(owner);
    if (values === undefined) return false;
    const row = new Row({ path: this.#database.path, table: "owners", key: owner }, values);
    return this.#processes.isDead({
      machine: row.text("machine"),
      pid: row.integer("pid"),
      started: row.textOrNull("started"),
    });
  }

  /** Lists the owners that hold a run. */
  holders(): string[] {
    return this.#database
      .sql(holders)
      .all()
      .map((row) => (row as { readonly owner: string }).owner);
  }

  /** Deletes dead owners that hold nothing. Needs a transaction. */
  clean(): void {
    for (const { owner } of this.#database.sql(all).all() as { readonly owner: string }[]) {
      if (this.isDead(owner)) this.#database.sql(removeIdle).run(owner);
    }
  }
}
