/**
 * The background work of a runtime, round by round: deletes what has expired, delivers posts of other processes, starts due schedules and
 * waiting starts, and claims due runs, which the table loads. Leases are renewed by a separate clock, see `Renewals`.
 *
 * @module
 */

import { Deferred, markHandled } from "../../../system/deferred.js";
import { jittered } from "../../../system/system.js";
import type { RuntimeObserver } from "../../api/runtime-options.types.js";
import { observedClaim } from "../../runtime-options.js";
import { idOf } from "../../store/run-key.js";
import type { RunKey } from "../../store/run-store.types.js";
import type { ScheduledTasks } from "../../tasks/scheduled-tasks.js";
import { fetchJournals } from "../load/load.js";
import { deliverFound } from "../run/messages.js";
import type { RuntimeParts } from "../workflows/registered-workflows.js";
import type { RunTable } from "./run-table.js";

/** Most runs of one claim. No more are claimed before these are loaded, so that other processes get their share. */
const BATCH = 100;
const LONGEST_PAUSE_MS = 1_000;
/** News of single runs alone makes it look for scheduled tasks no more often. */
const TASKS_MS = 1_000;

export interface WorkerLoopSetup extends RuntimeParts {
  readonly table: RunTable;
  readonly observer: RuntimeObserver | null;
  readonly dueWork: ScheduledTasks;
  /** Milliseconds between two claims if no change is reported. */
  readonly lookMs: number;
}

/** Runs that were claimed together. */
interface ClaimedBatch {
  /** {@link idOf} each. */
  readonly keys: ReadonlySet<string>;
  /** Resolves when each is loaded, or could not be. */
  readonly loaded: Promise<unknown>;
}

interface Claimed extends ClaimedBatch {
  /** When the next scheduled task is due, in epoch milliseconds. */
  readonly dueAtMs: number;
  /** `true` if it claimed as many as one claim may take. */
  readonly isFull: boolean;
  /** `true` if there was news of single runs alone, and all of them were claimed. */
  readonly isAllNews: boolean;
}

const none: ReadonlySet<never> = new Set();

export class WorkerLoop {
  readonly #setup: WorkerLoopSetup;
  #stopWatching: (() => void) | null = null;
  #callOff: (() => void) | null = null;
  #armedAtMs = Number.POSITIVE_INFINITY;
  #isBackground = false;
  #sweepAtMs = 0;
  #running: Promise<void> | null = null;
  /** How many runs the present round has claimed. */
  #claimed = new Deferred<number>();
  #again = false;
  #stopped = false;
  /** Runs of which there is news since the last claim began; `null` if anything may be due. */
  #news: Map<string, RunKey> | null = null;
  #taskAtMs = Number.POSITIVE_INFINITY;
  #tasksReadAtMs = Number.NEGATIVE_INFINITY;

  constructor(setup: WorkerLoopSetup) {
    this.#setup = setup;
  }

  /** Called with the first run. */
  start(): void {
    if (this.#stopWatching !== null || this.#stopped) return;
    const { table, dueWork, clock, lookMs } = this.#setup;
    this.#sweepAtMs = clock.now() + lookMs;
    this.#stopWatching = table.store.watch((key, news) => {
      const id = key === null ? null : idOf(key); // one text for three tables: every commit comes here
      table.watchers.notify(id, news);
      const isAwaited = id !== null && dueWork.awaits(id);
      if (key === null || id === null || isAwaited || !table.live.has(id)) {
        // The end of a run matters if it frees a place, or if something waits for it.
        const isForNobody = news === "progressed" || (news === "ended" && !isAwaited && !table.hasQueues);
        if (!isForNobody && (id === null || isAwaited || !table.isOpened(id)))
          this.look(isAwaited || news === "ended" ? null : key);
      } else if (news === "due") {
        const live = table.live.get(id);
        // Another process has posted a message to a run in memory here.
        if (live?.takesMessages) this.#deliverPosts(key).catch(() => this.look());
        // The message may continue the run once it has left memory.
        else live?.left.then(() => this.look(key));
      }
    });
    if (!this.#looksForDue) return; // it only listens for changes
    table.onCapacity = () => this.look();
    this.#arm(this.#sweepAtMs);
  }

  /**
   * Claims due work in the background, until there is none.
   *
   * @param key The only run of which there is news. @default anything may be due
   */
  look(key: RunKey | null = null): void {
    if (!this.#looksForDue || this.#stopped) return;
    if (key === null) this.#news = null;
    else this.#news?.set(idOf(key), key);
    if (this.#running === null) this.#begin();
    else this.#again = true;
  }

  #begin(): void {
    this.#again = false;
    this.#claimed = new Deferred();
    markHandled(this.#claimed.promise);
    this.#running = this.#round().finally(() => {
      this.#running = null;
      if (this.#again && !this.#stopped) this.#begin();
    });
  }

  /**
   * Resolves to the number of runs of the first claim, at most {@link BATCH}: further claims follow in the background.
   *
   * @throws {WorkflowError} The error of a store that cannot be reached. The claim is retried in any case.
   */
  serve(): Promise<number> {
    if (!this.#looksForDue) return Promise.resolve(0);
    this.look();
    return this.#claimed.promise; // marked as handled: a process that only starts it does not end with its error
  }

  /** `false` if other processes do the due work. */
  get #looksForDue(): boolean {
    const { executes, keepsRecords } = this.#setup.table;
    return executes && keepsRecords;
  }

  /** Resolves when claims have stopped. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopWatching?.();
    this.#callOff?.();
    await this.#running;
  }

  async #round(): Promise<void> {
    const { table, clock, log, lookMs } = this.#setup;
    try {
      const claimed = await this.#claim();
      this.#claimed.resolve(claimed.keys.size);
      await claimed.loaded;
      if (claimed.isFull || this.#again) {
        this.#again = true;
        if (claimed.isFull || !claimed.isAllNews) this.#news = null; // when to look next is not known
        return;
      }
      // A loop without room looks again when a run leaves memory.
      const { dueAtMs, isAllNews } = claimed;
      // The timer is right for all other runs then.
      if (isAllNews && this.#callOff !== null)
        return this.#arm(Math.min(this.#armedAtMs, dueAtMs), Number.isFinite(dueAtMs));
      const runAtMs = table.room < 1 ? null : await table.store.nextWakeAtMs(table.dueRuns);
      const wakeAtMs = Math.min(dueAtMs, runAtMs ?? Number.POSITIVE_INFINITY);
      this.#arm(Math.min(this.#sweepAtMs, wakeAtMs), Number.isFinite(wakeAtMs));
    } catch (error) {
      if (this.#stopped) return this.#claimed.resolve(0);
      this.#claimed.reject(error);
      if (table.isClosed(error)) return;
      log.error("The claim of due runs failed; it will be retried.", error);
      this.#arm(clock.now() + jittered(Math.min(lookMs, LONGEST_PAUSE_MS), clock));
    }
  }

  /** Starts what is due, and claims due runs as far as there is room. */
  async #claim(): Promise<Claimed> {
    const { table, dueWork, clock, lookMs } = this.#setup;
    const mustSweep = this.#mustSweep(clock.now());
    const news = mustSweep || this.#callOff === null ? null : this.#news;
    this.#news = new Map();
    if (mustSweep) {
      this.#sweepAtMs = clock.now() + lookMs;
      await dueWork.sweep();
    }
    if (news === null && !table.isEmpty) await this.#deliverPosts({ owner: table.owner });
    // Their rows were read before the news came.
    for (const [id, key] of news ?? []) if (table.isComing(id)) this.#deliverLoaded(key);
    // First: runs that this starts are claimed below. Stores need not report them.
    if (news === null || Math.abs(clock.now() - this.#tasksReadAtMs) >= TASKS_MS) {
      this.#tasksReadAtMs = clock.now();
      this.#taskAtMs = (await dueWork.round()) ?? Number.POSITIVE_INFINITY;
    }
    const dueAtMs = this.#taskAtMs;
    const limit = Math.min(BATCH, table.room);
    if (limit < 1 || this.#stopped)
      return { keys: none, loaded: Promise.resolve(), dueAtMs, isFull: false, isAllNews: false };
    const { keys, loaded } = await this.#claimDue(limit);
    // A timer that keeps this process alive may be that of a run that was just claimed.
    const isTimerRight = table.store.isLocal !== true || this.#isBackground;
    const isAllNews = news !== null && isTimerRight && [...news.keys()].every((id) => keys.has(id));
    return { keys, loaded, dueAtMs, isFull: keys.size === limit, isAllNews };
  }

  async #deliverPosts(of: RunKey | { readonly owner: string }): Promise<void> {
    const { table } = this.#setup;
    const known = new Map(table.live);
    for (const post of await table.store.posts(of)) {
      const id = idOf(post.key);
      const live = table.live.get(id);
      if (live?.takesMessages) await deliverFound(table.store, post, { live, known: known.get(id) });
      else if (live === undefined && table.isComing(id)) this.#deliverLoaded(post.key);
    }
  }

  /** Delivers posts to a run that is being loaded, once it is in memory. */
  #deliverLoaded(key: RunKey): void {
    const { table } = this.#setup;
    const delivered = table.whenLoaded(key).then(() => this.#deliverPosts(key));
    delivered.catch(() => this.look());
  }

  /** Claims due runs, and begins to load them. */
  async #claimDue(limit: number): Promise<ClaimedBatch> {
    const { table, observer, log } = this.#setup;
    table.claimsUnderWay++;
    const claiming = table.readDueRuns().then((due) => table.store.claimDue({ ...table.lease, limit, ...due }));
    const claimed = await claiming.finally(() => table.claimsUnderWay--);
    table.noteClaimed(claimed);
    const journals = fetchJournals(
      table.store,
      claimed.map(({ run }) => run),
    );
    const loads = claimed.map(async (one) => {
      if (observer?.onClaim !== undefined) observer.onClaim(observedClaim(one, table.clock.now()));
      const journal = journals.then((all) => all.get(idOf(one.run.key)));
      await table.loadClaimed(one, journal).catch((error: unknown) => {
        log.error(`Run "${one.run.key.runId}" of "${one.run.workflow}" could not be loaded.`, error);
      });
    });
    return { keys: new Set(claimed.map(({ run }) => idOf(run.key))), loaded: Promise.all(loads) };
  }

  /**
   * Returns whether a sweep is due. A clock before the last sweep was set back, and would delay the next one, so it counts as
   * due.
   */
  #mustSweep(nowMs: number): boolean {
    return nowMs >= this.#sweepAtMs || nowMs < this.#sweepAtMs - this.#setup.lookMs;
  }

  /** @param isDue `true`: a run needs an owner, so the timer keeps the process alive. */
  #arm(wantedMs: number, isDue = false): void {
    const { clock, table, lookMs } = this.#setup;
    // A clock that was set back while the store was asked would make the timer longer.
    const atMs = Math.min(wantedMs, clock.now() + lookMs);
    const isBackground = table.store.isLocal === true && !isDue;
    if (this.#stopped || (this.#callOff !== null && this.#armedAtMs === atMs && this.#isBackground === isBackground))
      return;
    this.#callOff?.();
    this.#armedAtMs = atMs;
    this.#isBackground = isBackground;
    const wake = (): void => {
      this.#callOff = null;
      this.look();
    };
    this.#callOff = clock.setTimer(atMs, wake, isBackground);
  }
}
