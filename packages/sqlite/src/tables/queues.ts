/**
 * Queues of the file. Which run gets a place is decided by `choosePlaces`; this reads what it needs and writes what it says.
 *
 * @module
 */
import { choosePlaces, earliest, freePlaces, type KeyLine, mayStart, nextPlaceAtMs } from "millrace/engine";
import type { DueRuns, QueueLimits } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { SqliteValue } from "../connection/driver.js";
import type { Owners } from "./owners.js";
import * as text from "./queue-statements.js";

/** A request for places of one queue. */
interface PlaceRequest extends DueRuns {
  readonly nowMs: number;
  readonly limit: number;
  /** Who takes them; absent to look. */
  readonly owner?: string;
}

interface ArrivedRun {
  readonly id: number;
  readonly queue: string;
  readonly key: string;
  readonly atMs: number;
}

interface WaitingRun {
  readonly id: number;
  readonly queuedAtMs: number;
  readonly hadPlace: boolean;
}

interface Line extends KeyLine<WaitingRun> {
  readonly turn: number;
  readonly runs: readonly WaitingRun[];
}

/** How much of the lines is read. */
interface LineQuery {
  readonly workflows: readonly string[] | undefined;
  readonly keys: number;
  /** Whether only runs that had a place are read. */
  readonly isAgain: boolean;
}

/** Assigns places to runs of queues. Every method that writes needs a transaction. */
export class Queues {
  readonly #database: Database;
  readonly #owners: Owners;

  constructor(database: Database, owners: Owners) {
    this.#database = database;
    this.#owners = owners;
  }

  /** Returns the ids of runs of the named queues, as many as the limits leave: each has a place, and needs an owner. */
  take({ queues = [], ...request }: PlaceRequest): number[] {
    if (queues.length === 0) return [];
    this.#endExpired(queues, request);
    const taken: number[] = [];
    for (const limits of queues) {
      this.#lineUp(this.#arrived(limits.name, request.nowMs));
      taken.push(...this.#take(limits, { ...request, limit: request.limit - taken.length }));
    }
    return taken;
  }

  nextWakeAtMs({ queues = [], workflows }: DueRuns): number | null {
    return earliest(queues.map((limits) => this.#wakeAtMs(limits, workflows)));
  }

  #take(limits: QueueLimits, request: PlaceRequest): number[] {
    const { name, rate } = limits;
    const taken: number[] = [];
    for (;;) {
      const left = request.limit - taken.length;
      const held = this.#held(limits);
      const starts = rate === null ? 0 : this.#starts(name, rate.perMs, request.nowMs);
      const keys = freePlaces(limits, held, left);
      const isAgain = !mayStart(limits, starts);
      const lines = keys === 0 ? [] : this.#lines(limits, { keys, isAgain, workflows: request.workflows });
      const chosen = choosePlaces(limits, { held, starts, lines, isWhole: lines.length < keys }, left);
      for (const { id, hadPlace } of chosen.runs) {
        this.#run(text.takePlace, id);
        if (!hadPlace) this.#run(text.addStart, name, request.nowMs);
        taken.push(id);
      }
      this.#turn(name, lines, chosen.served);
      if (chosen.isDone) return taken;
    }
  }

  /** Keys that were served go to the end of the line. Those that have no run leave it. */
  #turn(queue: string, lines: readonly Line[], served: readonly string[]): void {
    const turns = lines.filter(({ key }) => served.includes(key)).map(({ turn }) => turn);
    if (turns.length > 0) this.#run(text.removeEmptyKeys, queue, Math.max(...turns));
    for (const key of served) this.#run(text.toTheEnd, queue, queue, key);
  }

  #lines({ name, perKey }: QueueLimits, { keys, isAgain, workflows }: LineQuery): Line[] {
    const wanted = workflows === undefined ? null : JSON.stringify(workflows);
    const found = this.#all<Pick<Line, "key" | "turn" | "held">>(
      isAgain ? text.keysAgain : text.keysInTurn,
      ...[perKey, name, perKey, ...(isAgain ? [name] : []), wanted, wanted, keys],
    );
    // Reads per key its equal share of the free places.
    const limit = Math.ceil(keys / Math.max(1, found.length));
    return found.map((line) => {
      const heads = isAgain ? text.headsAgain : text.heads;
      const rows = this.#all<{ id: number; queuedAtMs: number; hadPlace: number | null }>(
        ...[heads, name, line.key, wanted, wanted, limit],
      );
      const runs = rows.map((row) => ({ ...row, hadPlace: row.hadPlace === 1 }));
      return { ...line, runs, isWhole: runs.length < limit };
    });
  }

  /** Releases runs of others whose lease has expired, and all runs of dead owners: they wait in line. */
  #endExpired(queues: readonly QueueLimits[], { nowMs, owner: own }: PlaceRequest): void {
    const names = JSON.stringify(queues.map(({ name }) => name));
    const found = this.#owners.holders().flatMap((owner) => {
      if (owner === own) return [];
      const untilMs = this.#owners.isDead(owner) ? Number.MAX_SAFE_INTEGER : nowMs;
      return this.#all<ArrivedRun>(text.expired, owner, untilMs, names);
    });
    for (const { id } of found) this.#run(text.endLease, id);
    this.#lineUp(found);
  }

  /** Runs that need a place by now and are not in line. */
  #arrived(queue: string, nowMs: number): ArrivedRun[] {
    const byTime = this.#all<ArrivedRun>(text.due, queue, nowMs);
    const found = new Map(byTime.map((run) => [run.id, run]));
    for (const run of this.#all<ArrivedRun>(text.posted, queue)) found.set(run.id, run);
    return [...found.values()];
  }

  /** Puts runs in line, in the order in which they began to need a place. */
  #lineUp(runs: ArrivedRun[]): void {
    const keys = new Set<string>();
    // The runs may be of several queues, each with its own keys.
    for (const { id, queue, key } of runs.sort((left, right) => left.atMs - right.atMs || left.id - right.id)) {
      this.#run(text.lineUp, id);
      const ofQueue = JSON.stringify([queue, key]);
      if (keys.has(ofQueue)) continue;
      keys.add(ofQueue);
      this.#run(text.addKey, queue, key, queue);
    }
  }

  /** Counts nothing where nothing is limited. */
  #held({ name, concurrency }: QueueLimits): number {
    if (concurrency === null) return 0;
    return this.#all<{ count: number }>(text.held, name)[0]?.count ?? 0;
  }

  /** Deletes starts that no rate counts. One further ahead than a whole window is from a clock that was set back. */
  #starts(queue: string, perMs: number, nowMs: number): number {
    this.#run(text.noteWindow, queue, perMs);
    this.#run(text.forgetStarts, queue, nowMs, queue);
    return this.#all<{ count: number }>(text.starts, queue, nowMs - perMs, nowMs + perMs)[0]?.count ?? 0;
  }

  #wakeAtMs(limits: QueueLimits, workflows: DueRuns["workflows"]): number | null {
    const { name, rate } = limits;
    const wanted = workflows === undefined ? null : JSON.stringify(workflows);
    const at = (statement: string, ...values: SqliteValue[]): number | null =>
      this.#all<{ atMs: number }>(statement, name, ...values)[0]?.atMs ?? null;
    const opensAtMs = rate === null ? null : at(text.startAt, rate.limit - 1);
    const firstAtMs = (isAgain: boolean): number | null =>
      this.#lines(limits, { keys: 1, isAgain, workflows })[0]?.runs[0]?.queuedAtMs ?? null;
    return nextPlaceAtMs(limits, {
      held: this.#held(limits),
      laterAtMs: earliest([at(text.firstLater, wanted, wanted), at(text.firstPosted, wanted, wanted)]),
      firstAtMs: firstAtMs(false),
      againAtMs: opensAtMs === null ? null : firstAtMs(true),
      opensAtMs: opensAtMs === null || rate === null ? null : opensAtMs + rate.perMs,
    });
  }

  #all<Row>(statement: string, ...values: SqliteValue[]): Row[] {
    return this.#database.sql(statement).all(...values) as Row[];
  }

  #run(statement: string, ...values: SqliteValue[]): void {
    this.#database.sql(statement).run(...values);
  }
}
