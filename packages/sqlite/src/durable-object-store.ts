import { WorkflowError } from "millrace";
import type { RunStore } from "millrace/runtime";
import { ObjectDatabase, type ObjectStorage } from "./object-database.js";
import { migrateObject } from "./object-migrate.js";
import type { Processes } from "./processes.js";
import { sha256 } from "./sha256.js";
import { SqlStore } from "./sql-store.js";
import { Watchers } from "./watchers.js";

/** Between two evictions of an object. The platform makes a new storage for the next one. */
class Life {
  readonly watchers: Watchers = new Watchers(null);
  readonly processes: Processes;

  constructor() {
    const started = crypto.randomUUID();
    this.processes = {
      self: { machine, pid: 0, started },
      // One life at a time: whoever held a lease in an earlier one is gone.
      isDead: (other) => other.machine === machine && other.started !== started,
    };
  }
}

const machine = "durable object";

/** The stores of one object hear of each other's commits. */
const lives = new WeakMap<ObjectStorage, Life>();

/**
 * A {@link RunStore} in the storage of a Durable Object: `durableObjectStore(ctx.storage)` in its constructor.
 *
 * It makes its tables at once, beside those that the object has of its own.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`, `STORE_FULL`, else `STORE_FAILED`, when the storage cannot be used;
 *   `OPTION_INVALID`.
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/
 */
export function durableObjectStore(storage: ObjectStorage): RunStore {
  if (typeof storage?.transactionSync !== "function") throw noStorage();
  const database = new ObjectDatabase(storage);
  migrateObject(database);
  return new SqlStore({ database, hash: sha256, ...lifeOf(storage) });
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
    hint: "Give it `ctx.storage` of the object's constructor.",
    details: { option: "storage" },
  });
}
