/**
 * Runs that change, for lists that are kept up to date.
 *
 * ```
 * the store names changed runs ──► ids of a tenant, each once ──► after a moment: read ──► every list of the tenant
 * the store only reports that something changed ──► the newest runs, compared with their last state
 * ```
 *
 * A run that changes a hundred times a second is read a few times a second, once for all lists of its tenant.
 *
 * @module
 */

import { type Log, WorkflowError } from "millrace";
import type { RunKey, RunListing, Runtime } from "millrace/runtime";
import type { HandlerRecord } from "millrace/wire";
import { cleanJson } from "../http/clean-text.js";
import { afterMs } from "../system.js";
import { handlerRecord, shortRecord } from "../wire/handler-record.js";
import type { WorkflowCatalog } from "../wire/workflow-facts.js";

export type RunChange =
  | {
      readonly kind: "changed";
      readonly record: HandlerRecord;
      /** The record as it is sent: made once for all lists. */
      readonly json: () => string;
    }
  | { readonly kind: "gone"; readonly runId: string };

export interface RunListener {
  take(change: RunChange): void;
  /** Some changes are not known one by one. */
  reset(): void;
}

export interface LiveRunsSetup {
  readonly runtime: Runtime;
  readonly catalog: WorkflowCatalog;
  readonly log: Log;
}

const pauseMs = 250;
/** Most changed runs that wait to be read; beyond it, lists have to start over. */
const mostPending = 1_000;
/** The newest runs, which are looked at where a store names none. */
const newest = 200;
const readAtOnce = 20;

interface Watched {
  readonly tenant: string;
  readonly listeners: Set<RunListener>;
  pending: Set<string>;
  /** The store has named no run. */
  isAny: boolean;
  isOverfull: boolean;
  /** What the newest runs were. */
  known: Map<string, string>;
  isBusy: boolean;
}

export class LiveRuns {
  readonly #setup: LiveRunsSetup;
  readonly #tenants: Map<string, Watched> = new Map();
  #stop: (() => void) | null = null;

  constructor(setup: LiveRunsSetup) {
    this.#setup = setup;
  }

  /** For tests: how many tenants are watched. */
  get size(): number {
    return this.#tenants.size;
  }

  /** Resolves once every later change is reported. @returns a function that stops the reports. */
  async add(tenant: string, listener: RunListener): Promise<() => void> {
    const watched = this.#tenants.get(tenant) ?? newlyWatched(tenant);
    this.#tenants.set(tenant, watched);
    watched.listeners.add(listener);
    const stop = (): void => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.#tenants.get(tenant) === watched) this.#tenants.delete(tenant);
      if (this.#tenants.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
    try {
      this.#stop ??= this.#setup.runtime.watch((key) => this.#hear(key));
      if (watched.known.size === 0) watched.known = new Map((await this.#newest(tenant)).map(known));
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Stores need not report that a run was deleted. */
  deleted(tenant: string, runId: string): void {
    this.#hear({ tenant, runId });
  }

  #hear(key: RunKey | null): void {
    if (key === null) {
      for (const watched of this.#tenants.values()) {
        watched.isAny = true;
        this.#lookSoon(watched);
      }
      return;
    }
    const watched = this.#tenants.get(key.tenant);
    if (watched === undefined) return;
    if (watched.pending.size < mostPending) watched.pending.add(key.runId);
    else watched.isOverfull ||= !watched.pending.has(key.runId);
    this.#lookSoon(watched);
  }

  #lookSoon(watched: Watched): void {
    if (watched.isBusy) return;
    watched.isBusy = true;
    afterMs(pauseMs, () => {
      void this.#look(watched)
        .catch((error: unknown) => {
          if (WorkflowError.is(error, "RUNTIME_STOPPED")) return; // the streams end by themselves
          this.#setup.log.error("The changes of runs could not be read; lists begin again.", error);
          for (const listener of watched.listeners) listener.reset();
        })
        .finally(() => {
          watched.isBusy = false;
          if (watched.listeners.size > 0 && (watched.pending.size > 0 || watched.isAny)) this.#lookSoon(watched);
        });
    });
  }

  async #look(watched: Watched): Promise<void> {
    const { pending, isAny, isOverfull, tenant } = watched;
    Object.assign(watched, { pending: new Set(), isAny: false, isOverfull: false });
    if (isOverfull) for (const listener of watched.listeners) listener.reset();
    if (isAny) for (const id of await this.#changedNewest(watched)) pending.add(id);
    const ids = [...pending];
    for (let from = 0; from < ids.length && watched.listeners.size > 0; from += readAtOnce) {
      const some = ids.slice(from, from + readAtOnce);
      const changes = await Promise.all(some.map((runId) => this.#read(tenant, runId)));
      for (const change of changes) for (const listener of watched.listeners) listener.take(change);
    }
  }

  async #read(tenant: string, runId: string): Promise<RunChange> {
    try {
      const { runtime, catalog } = this.#setup;
      return changed(await handlerRecord(runtime.handle(runId, { tenant }), catalog));
    } catch (error) {
      if (WorkflowError.is(error, "RUN_UNKNOWN")) return { kind: "gone", runId };
      throw error;
    }
  }

  /** Runs that have changed, and runs that no longer exist. */
  async #changedNewest(watched: Watched): Promise<readonly string[]> {
    const runs = await this.#newest(watched.tenant);
    const before = watched.known;
    watched.known = new Map(runs.map(known));
    const changed = runs.filter((run) => before.get(run.runId) !== known(run)[1]).map(({ runId }) => runId);
    const missing = [...before.keys()].filter((runId) => !watched.known.has(runId));
    return [...changed, ...missing];
  }

  async #newest(tenant: string): Promise<readonly RunListing[]> {
    return (await this.#setup.runtime.runs({ tenant, limit: newest })).runs;
  }
}

export function changed(record: HandlerRecord): RunChange {
  let json: string | undefined;
  return { kind: "changed", record, json: () => (json ??= cleanJson(shortRecord(record))) };
}

function newlyWatched(tenant: string): Watched {
  return {
    tenant,
    listeners: new Set(),
    pending: new Set(),
    isAny: false,
    isOverfull: false,
    known: new Map(),
    isBusy: false,
  };
}

/** A run by its id, and what is different after every change of it. */
function known({ runId, updatedAtMs, status, ticks, lastEvent, isSealed, queue }: RunListing): [string, string] {
  return [runId, JSON.stringify([updatedAtMs, status, ticks, lastEvent, isSealed, queue?.hasPlace])];
}
