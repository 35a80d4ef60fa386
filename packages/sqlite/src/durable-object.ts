/**
 * `@millrace/sqlite/durable-object`: durable runs in the SQLite storage of a Durable Object. Uses nothing of Node.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { RunStore } from "millrace/runtime";
import { ObjectDatabase, type ObjectStorage } from "./connection/object-database.js";
import { migrateObject } from "./schema/object-migrate.js";
import type { Processes } from "./connection/machine.js";
import { sha256 } from "./sha256.js";
import { createSqlStore } from "./sql-store.js";
import { Watchers } from "./connection/watchers.js";

export type { ObjectStorage } from "./connection/object-database.js";

/** The time between two evictions of an object. The platform makes new storage for each. */
class Life {
  readonly watchers: Watchers = new Watchers(null);
  readonly processes: Processes;

  constructor() {
    const started = crypto.randomUUID();
    this.processes = {
      self: { machine, pid: 0, started },
      // Only one instance exists at a time, so owners of leases from earlier instances are dead.
      isDead: (other) => other.machine === machine && other.started !== started,
    };
  }
}

const machine = "durable object";

/** Stores of one object share its life, and so see each other's commits. */
const lives = new WeakMap<ObjectStorage, Life>();

/**
 * Creates a {@link RunStore} in the storage of a Durable Object: `durableObjectStore(ctx.storage)` in its constructor.
 *
 * Creates its tables at once, beside the object's own tables.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`, `STORE_FULL` or `STORE_FAILED`, if the storage cannot be
 * used; `OPTION_INVALID`.
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/
 */
export function durableObjectStore(storage: ObjectStorage): RunStore {
  if (typeof storage?.transactionSync !== "function") throw noStorage();
  const database = new ObjectDatabase(storage);
  migrateObject(database);
  return createSqlStore({ database, hash: sha256, ...lifeOf(storage) });
}

function lifeOf(storage: ObjectStorage): Life {
  const life = lives.get(storage) ?? new Life();
  lives.set(storage, life);
  return life;
}

function noStorage(): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: "`storage` is not the storage of a Durable Object.",
    hint: "Pass `ctx.storage` of the object's constructor.",
    details: { option: "storage" },
  });
}
