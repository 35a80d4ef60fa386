/**
 * Keeps what this process holds: renews its leases on a timer that no other work of the runtime can delay, and loads runs again that it
 * holds and does not have in memory.
 *
 * @module
 */
import type { Log } from "../../../host.js";
import { jittered } from "../../../system/system.js";
import { idOf } from "../../store/run-key.js";
import type { RunKey } from "../../store/run-store.types.js";
import type { RunTable } from "./run-table.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const FIRST_RELOAD_MS = 1_000;
const LONGEST_RELOAD_MS = 30_000;

export interface RenewalsSetup {
  readonly table: RunTable;
  readonly log: Log;
  /** Milliseconds between two renewals. */
  readonly everyMs: number;
  /** Called after each renewal that has succeeded. */
  readonly onRenewed: () => void;
}

export class Renewals {
  readonly #setup: RenewalsSetup;
  #callOff: (() => void) | null = null;
  #renewing: Promise<void> = Promise.resolve();
  #failures = 0;
  #isStarted = false;
  #isStopped = false;

  /** Held at the last renewal, and not in memory then. */
  #unknown: ReadonlySet<string> = new Set();
  /** Each calls off a timer that loads a run again. */
  readonly #reloads = new Set<() => void>();

  constructor(setup: RenewalsSetup) {
    this.#setup = setup;
    setup.table.onUnstored = (key) => this.#reload(key, FIRST_RELOAD_MS);
  }

  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    this.#arm(this.#setup.everyMs);
  }

  /** Resolves when renewals have stopped. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    await this.#renewing;
  }

  /** No run is loaded again from here on: the next owner does that. */
  stopReloads(): void {
    for (const callOff of this.#reloads) callOff();
  }

  #arm(inMs: number): void {
    if (this.#isStopped) return;
    const { clock, store } = this.#setup.table;
    const wake = (): void => {
      this.#renewing = this.#renew();
    };
    this.#callOff = clock.setTimer(clock.now() + inMs, wake, store.isLocal === true);
  }

  async #renew(): Promise<void> {
    const { table, log, everyMs, onRenewed } = this.#setup;
    const { clock } = table;
    const startedAtMs = clock.now();
    try {
      await this.#renewAll();
      this.#failures = 0;
      onRenewed();
    } catch (error) {
      if (table.isClosed(error)) return;
      if (this.#failures++ === 0 && !this.#isStopped)
        log.error("The leases of this process could not be renewed; it tries again.", error);
      const pauseMs = Math.min(LONGEST_PAUSE_MS, everyMs, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
      return this.#arm(jittered(pauseMs, clock));
    }
    // A clock that was set meanwhile must not make it longer.
    this.#arm(Math.min(everyMs, Math.max(0, startedAtMs + everyMs - clock.now())));
  }

  async #renewAll(): Promise<void> {
    const { table } = this.#setup;
    const before = [...table.live].filter(([, live]) => live.isHeld);
    const keys = await table.store.renew(table.lease);
    const held = new Set(keys.map(idOf));
    for (const [id, live] of before) if (live.isHeld && !held.has(id)) live.fence();
    this.#loadHeld(keys);
  }

  /**
   * Runs of this owner that are not in memory: the answer to a claim was lost, or a run could neither be loaded nor released. A run that
   * is still missing at the next renewal is not just arriving; without this it would be lost for as long as this process lives.
   */
  #loadHeld(keys: readonly RunKey[]): void {
    const { table, log } = this.#setup;
    // Runs of a claim that has not returned yet are not missing.
    const mayMiss = !table.isStopped && table.claimsUnderWay === 0;
    const missing = mayMiss ? keys.filter((key) => !table.isComing(idOf(key))) : [];
    for (const key of missing.filter((one) => this.#unknown.has(idOf(one))))
      table.open(key, "own").catch((error: unknown) => {
        log.error(`Run "${key.runId}" is held by this process and could not be loaded.`, error);
      });
    this.#unknown = new Set(missing.map(idOf));
  }

  /** Repeats until the store accepts it, or another process has the run. */
  #reload(key: RunKey, pauseMs: number): void {
    const { table, log } = this.#setup;
    if (table.isStopped) return;
    const callOff = table.clock.setTimer(table.clock.now() + jittered(pauseMs, table.clock), () => {
      this.#reloads.delete(callOff);
      table.open(key, "own").catch((error: unknown) => {
        if (table.isStopped || table.isClosed(error)) return; // the next owner loads it
        log.error(`Run "${key.runId}" could not be loaded again; this process tries again.`, error);
        this.#reload(key, Math.min(2 * pauseMs, LONGEST_RELOAD_MS));
      });
    });
    this.#reloads.add(callOff);
  }
}
