/**
 * What a runtime does by itself: renews its leases, starts what schedules and waiting starts ask for, claims runs that nobody has and
 * that are due, and hears what others post.
 *
 * @module
 */
import type { Clock, Log } from "../engine/ports.js";
import type { DueWork } from "./due-work.js";
import type { RunRegistry } from "./registry.js";
import { idOf } from "./run-key.js";

/** How many runs are claimed at once. */
const BATCH = 100;

export interface PumpSetup {
  readonly registry: RunRegistry;
  readonly dueWork: DueWork;
  readonly clock: Clock;
  readonly log: Log;
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

  /** From the first run on. */
  start(): void {
    if (this.#stopWatching !== null || this.#stopped) return;
    const { registry, dueWork, clock, renewMs } = this.#setup;
    this.#renewAtMs = clock.now() + renewMs;
    this.#stopWatching = registry.store.watch((key, news) => {
      registry.watchers.notify(key === null ? null : idOf(key));
      const isAwaited = key !== null && dueWork.awaits(key);
      if (key === null || isAwaited || registry.isForeign(key)) {
        // The end of a run is news where its place may be taken, or where something waits for that.
        const isForNobody = news === "further" || (news === "ended" && !isAwaited && !registry.hasQueues);
        if (!isForNobody) void this.pump();
      } else if (news === "due") {
        // Of a run in memory here, that is news: another process has sent it a message.
        registry.deliverPosts(key).catch(() => this.pump());
      }
    });
    if (!this.#looksForDue) return; // it only hears of changes
    registry.onParked = () => void this.pump();
    this.#arm(this.#renewAtMs);
  }

  /** Claims everything that is due. Gives how many runs that were: none where others have all runs. */
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

  /** False: others do what is due. */
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
      // Again when it took that long: a lease that has run out would be claimed below.
      while (this.#mustRenew(clock.now())) {
        this.#renewAtMs = clock.now() + renewMs;
        await registry.renew();
        await dueWork.sweep();
      }
      await registry.deliverPosts();
      const dueAtMs = (await dueWork.round()) ?? Number.POSITIVE_INFINITY; // first: the runs that it starts are claimed below
      adopted = await this.#takeUp();
      // Without room it looks again when a run leaves.
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

  /** Claims what is due, as far as there is room. Gives how many runs that were. */
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

  /** Also when the clock is before the last time: it was set back, and would say for that long that it is not due yet. */
  #mustRenew(nowMs: number): boolean {
    return nowMs >= this.#renewAtMs || nowMs < this.#renewAtMs - this.#setup.renewMs;
  }

  /** @param isDue A run wants to be claimed: the process lives on for it. */
  #arm(atMs: number, isDue = false): void {
    const { clock, registry } = this.#setup;
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
