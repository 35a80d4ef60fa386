/**
 * The background work of a runtime: renews its leases, starts due schedules and waiting starts, claims due runs without an owner,
 * and hears of posts by others.
 *
 * @module
 */

import type { RuntimeParts } from "../code/registered-workflows.js";
import type { DueWork } from "../due/due-work.js";
import { idOf } from "../store/run-key.js";
import type { RunRegistry } from "./registry.js";

/** Number of runs that are claimed at once. */
const BATCH = 100;

export interface PumpSetup extends RuntimeParts {
  readonly registry: RunRegistry;
  readonly dueWork: DueWork;
  readonly renewMs: number;
}

export class Pump {
  readonly #setup: PumpSetup;
  #stopWatching: (() => void) | null = null;
  #callOff: (() => void) | null = null;
  #armedAtMs = Number.POSITIVE_INFINITY;
  #isBackground = false;
  #renewAtMs = 0;
  #running: Promise<number> | null = null;
  #again = false;
  #stopped = false;

  constructor(setup: PumpSetup) {
    this.#setup = setup;
  }

  /** Called with the first run. */
  start(): void {
    if (this.#stopWatching !== null || this.#stopped) return;
    const { registry, dueWork, clock, renewMs } = this.#setup;
    this.#renewAtMs = clock.now() + renewMs;
    this.#stopWatching = registry.store.watch((key, news) => {
      const id = key === null ? null : idOf(key); // one text for three tables: every commit comes here
      registry.watchers.notify(id);
      const isAwaited = id !== null && dueWork.awaits(id);
      if (key === null || id === null || isAwaited || !registry.live.has(id)) {
        // The end of a run matters if it frees a place, or if something waits for it.
        const isForNobody = news === "further" || (news === "ended" && !isAwaited && !registry.hasQueues);
        if (!isForNobody) void this.pump();
      } else if (news === "due") {
        // For a run in memory here, this is news: another process has sent it a message.
        registry.deliverPosts(key).catch(() => this.pump());
      }
    });
    if (!this.#looksForDue) return; // it only hears of changes
    registry.onParked = () => void this.pump();
    this.#arm(this.#renewAtMs);
  }

  /** Claims everything that is due. Returns how many runs: none if other processes have all runs. */
  pump(): Promise<number> {
    if (!this.#looksForDue) return Promise.resolve(0);
    if (this.#running !== null) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#round().finally(() => {
      this.#running = null;
      if (!this.#again || this.#stopped) return;
      this.#again = false;
      void this.pump();
    });
    return this.#running;
  }

  /** `false`: other processes do the due work. */
  get #looksForDue(): boolean {
    const { executes, keepsRecords } = this.#setup.registry;
    return executes && keepsRecords;
  }

  /** Resolves when it claims no more runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopWatching?.();
    this.#callOff?.();
    await this.#running;
  }

  async #round(): Promise<number> {
    const { registry, dueWork, clock, log, renewMs } = this.#setup;
    let adopted = 0;
    try {
      // Renewed again after a long round: an expired lease would be claimed below.
      while (this.#mustRenew(clock.now())) {
        this.#renewAtMs = clock.now() + renewMs;
        await registry.renew();
        await dueWork.sweep();
      }
      await registry.deliverPosts();
      const dueAtMs = (await dueWork.round()) ?? Number.POSITIVE_INFINITY; // first: runs that this starts are claimed below
      adopted = await this.#takeUp();
      // Without room, it looks again when a run leaves memory.
      const runAtMs = registry.room < 1 ? null : await registry.nextWakeAtMs();
      const wakeAtMs = Math.min(dueAtMs, runAtMs ?? Number.POSITIVE_INFINITY);
      this.#arm(Math.min(this.#renewAtMs, wakeAtMs), Number.isFinite(wakeAtMs));
    } catch (error) {
      if (!this.#stopped)
        log.error("The run store could not be asked for runs that are due; it is asked again.", error);
      this.#arm(clock.now() + Math.min(renewMs, 1_000));
    }
    return adopted;
  }

  /** Claims due runs, as far as there is room. Returns how many. */
  async #takeUp(): Promise<number> {
    const { registry } = this.#setup;
    for (let all = 0; ; ) {
      const limit = Math.min(BATCH, registry.room);
      if (limit < 1 || this.#stopped) return all;
      const count = await registry.adoptDue(limit);
      all += count;
      if (count < limit) return all;
    }
  }

  /** Also `true` if the clock is before the last renewal: it was set back, and would delay the next one. */
  #mustRenew(nowMs: number): boolean {
    return nowMs >= this.#renewAtMs || nowMs < this.#renewAtMs - this.#setup.renewMs;
  }

  /** @param isDue `true`: a run needs an owner, so the timer keeps the process alive. */
  #arm(wantedMs: number, isDue = false): void {
    const { clock, registry, renewMs } = this.#setup;
    // Where the clock was set back while the store was asked, it would sleep past the next renewal.
    const atMs = Math.min(wantedMs, clock.now() + renewMs);
    const isBackground = registry.store.isLocal === true && !isDue;
    if (this.#stopped || (this.#callOff !== null && this.#armedAtMs === atMs && this.#isBackground === isBackground))
      return;
    this.#callOff?.();
    this.#armedAtMs = atMs;
    this.#isBackground = isBackground;
    const wake = (): void => {
      this.#callOff = null;
      void this.pump();
    };
    this.#callOff = clock.setTimer(atMs, wake, isBackground);
  }
}
