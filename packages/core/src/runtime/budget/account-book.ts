/**
 * The accounts that one process reserves from and pays into. One write at a time, for everything that waits: many calls of a process
 * are one transaction, and an account with many calls at work is a short record. Two processes are kept apart by its version.
 *
 * An account: what is spent of one budget, and what the calls at work have reserved, in one record of the store.
 *
 * Each process has one hold in it, the sum of its calls at work. A process renews its holds while it lives, so the hold of a dead one
 * ends with its lease. The account of a run has one hold: that of the process that has the run.
 *
 * @module
 */
import type { Amounts, BudgetReport, Clock, Cost, Log } from "../../host.js";
import { unlessAborted } from "../../system/deferred.js";
import type { RecordKey, RecordWrite, RunKey, RunStore, StoredRecord } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind, recordName } from "../text/record-text.js";

/** Kinds of the records. */
export const runAccounts: string = ownKind("run-budget");
export const dayAccounts: string = ownKind("day-budget");

/** Content of the record of an account, as JSON. */
export interface StoredAccount {
  readonly spent: Amounts;
  /** Amounts that were allowed beyond the budget, by the key of the call that allowed them. */
  readonly allowed: { readonly [key: string]: Amounts };
  /** Amounts that processes hold, by owner. */
  readonly holds: { readonly [owner: string]: Hold };
}

interface Hold extends Amounts {
  readonly untilMs: number;
  /** Number of the write, so that a process knows whether a write that failed has come about. */
  readonly write: number;
}

/** An account, with its budget. */
export interface Wanted {
  readonly key: RecordKey;
  /** A unit without a limit is left out. */
  readonly limits: Partial<Amounts>;
}

/** One account, as this process uses it. */
export interface Account extends Wanted {
  /** How many calls use it. */
  users: number;
  /** Amounts held by calls at work in this process. */
  held: Amounts;
  /** Spent, and not in the record yet. */
  unwritten: Amounts;
  /** A write whose end is not known, with what it wrote as spent. */
  doubt: { readonly write: number; readonly spent: Amounts } | null;
}

export function runAccountKey({ tenant, runId }: RunKey): RecordKey {
  return { tenant, kind: runAccounts, id: runId };
}

export function dayAccountKey(tenant: string, day: string, timezone: string): RecordKey {
  return { tenant, kind: dayAccounts, id: `${day} ${timezone}` };
}

export function readAccount(text: string | null): StoredAccount {
  return text === null
    ? { spent: nothing, allowed: {}, holds: {} }
    : (parseJson(text, "the record of a budget") as StoredAccount);
}

interface Living {
  readonly nowMs: number;
  /** Owner whose hold stays. */
  readonly owner?: string;
  /** `true` if only `owner` may hold amounts. */
  readonly isOurs?: boolean;
}

/** Returns the account without the holds of processes that are dead, or have lost the run. */
export function living(stored: StoredAccount, { nowMs, owner, isOurs = false }: Living): StoredAccount {
  const isAlive = ([name, { untilMs }]: [string, Hold]): boolean => name === owner || (!isOurs && untilMs > nowMs);
  return { ...stored, holds: Object.fromEntries(Object.entries(stored.holds).filter(isAlive)) };
}

/** Returns the amounts that may be spent, with those that were allowed later. */
export function allowedIn({ allowed }: StoredAccount, limits: Partial<Amounts>): Partial<Amounts> {
  const more = sum(...Object.values(allowed));
  const limited = units.flatMap((unit) => {
    const limit = limits[unit];
    return limit === undefined ? [] : [[unit, sum({ ...nothing, usd: limit + more[unit] }).usd] as const];
  });
  return Object.fromEntries(limited);
}

export function reservedIn({ holds }: StoredAccount): Amounts {
  return sum(...Object.values(holds));
}

/** The write whose end was not known has come about, or has not. */
export function resolveDoubt(account: Account, stored: StoredAccount, owner: string): void {
  const { doubt } = account;
  if (doubt === null) return;
  if (stored.holds[owner]?.write === doubt.write) account.unwritten = minus(account.unwritten, doubt.spent);
  account.doubt = null;
}

/** Sums of tokens, dollars and calls. */

export const units: readonly ["tokens", "usd", "calls"] = ["tokens", "usd", "calls"];

export const nothing: Amounts = { tokens: 0, usd: 0, calls: 0 };

/** A billionth of a dollar: sums of prices for one token are exact to it. */
const PARTS = 1e9;

export function amountsOf({ tokens = 0, usd = 0, calls = 1 }: Cost): Amounts {
  return { tokens, usd, calls };
}

export function sum(...all: readonly Amounts[]): Amounts {
  return {
    tokens: rounded(all.reduce((total, { tokens }) => total + tokens, 0)),
    usd: rounded(all.reduce((total, { usd }) => total + usd, 0)),
    calls: rounded(all.reduce((total, { calls }) => total + calls, 0)),
  };
}

export function minus(from: Amounts, taken: Amounts): Amounts {
  return sum(from, { tokens: -taken.tokens, usd: -taken.usd, calls: -taken.calls });
}

export function isNothing({ tokens, usd, calls }: Amounts): boolean {
  return tokens === 0 && usd === 0 && calls === 0;
}

/** The first unit of which there is more than allowed; `null` if there is none. */
export function exceeded(all: Amounts, allowed: Partial<Amounts>): keyof Amounts | null {
  return units.find((unit) => all[unit] > (allowed[unit] ?? Number.POSITIVE_INFINITY)) ?? null;
}

function rounded(amount: number): number {
  return Math.round(amount * PARTS) / PARTS;
}

// ---- the dates of days in a time zone

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the day, such as `2026-11-29`. */
export function dayOf(atMs: number, timezone: string): string {
  let format = formats.get(timezone);
  if (format === undefined) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    formats.set(
      timezone,
      (format = new Intl.DateTimeFormat("en", { timeZone: timezone, calendar: "iso8601", ...parts })),
    );
  }
  const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return `${part["year"]}-${part["month"]}-${part["day"]}`;
}

export function isDay(text: unknown): boolean {
  return typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text);
}

/** How many jobs are written in one transaction. */
const JOBS_AT_ONCE = 200;

export interface BookSetup {
  readonly store: Pick<RunStore, "record" | "writeRecords">;
  readonly owner: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reason why a call may not be made. `isBusy`: calls at work have reserved what it needs, and may leave it. */
export interface Refusal {
  readonly account: Account;
  readonly unit: keyof Amounts;
  readonly spent: Amounts;
  readonly reserved: Amounts;
  readonly allowed: Partial<Amounts>;
  readonly isBusy: boolean;
}

interface Job {
  readonly accounts: readonly Account[];
  /** Reserves it in all of its accounts, or in none. */
  readonly asked?: Amounts;
  /** The lease of its holds begins again. */
  readonly renews?: true;
  /** Allows more in its accounts. */
  readonly allowing?: { readonly key: string; readonly more: Amounts };
  readonly resolve: (refusal: Refusal | null) => void;
  readonly reject: (error: unknown) => void;
}

/** An account in one write. */
interface Draft {
  readonly version: number;
  stored: StoredAccount;
  /** Reserved by other processes. */
  readonly others: Amounts;
  held: Amounts;
  isChanged: boolean;
}

export class AccountBook {
  readonly #setup: BookSetup;
  readonly #open: Map<string, Account> = new Map();
  readonly #waiting: Job[] = [];
  /** Called when something was paid or left. */
  readonly #freed: Set<() => void> = new Set();
  #working: Promise<void> | null = null;
  #writes = 0;
  #isStopped = false;
  #callOff: (() => void) | null = null;

  constructor(setup: BookSetup) {
    this.#setup = setup;
  }

  /** The account, until `use` has ended. Within a process there is one of each. */
  async with<Result>(
    wanted: readonly Wanted[],
    use: (accounts: readonly Account[]) => Promise<Result>,
  ): Promise<Result> {
    const accounts = wanted.map((one) => this.#account(one));
    for (const account of accounts) account.users++;
    try {
      return await use(accounts);
    } finally {
      for (const account of accounts) account.users--;
      this.#close();
    }
  }

  /** Returns the account as it is stored now. */
  async read({ key, limits }: Wanted): Promise<BudgetReport> {
    const { store, clock } = this.#setup;
    const found = readAccount((await store.record(key))?.text ?? null);
    const stored = living(found, { nowMs: clock.now() });
    return { spent: stored.spent, reserved: reservedIn(stored), allowed: allowedIn(stored, limits) };
  }

  #account({ key, limits }: Wanted): Account {
    const name = recordName(key);
    let account = this.#open.get(name);
    if (account === undefined) {
      account = { key, limits, users: 0, held: nothing, unwritten: nothing, doubt: null };
      this.#open.set(name, account);
    }
    return account;
  }

  /** Resolves to `null` once it is reserved in all accounts; to the reason if it is in none. */
  reserve(accounts: readonly Account[], asked: Amounts): Promise<Refusal | null> {
    return this.#enqueue({ accounts, asked });
  }

  /** The call has ended: what it has reserved is free, and what it has cost is spent. */
  async settle(accounts: readonly Account[], asked: Amounts, cost: Amounts): Promise<void> {
    for (const account of accounts) {
      account.held = minus(account.held, asked);
      account.unwritten = sum(account.unwritten, cost);
    }
    try {
      await this.#enqueue({ accounts });
    } catch (error) {
      // The call counts, and is written with the next one, or with the next renewal.
      if (!this.#isStopped) this.#setup.log.error("What a call has cost could not be stored yet.", error);
    }
    for (const listener of this.#freed) listener();
  }

  async allow(account: Account, key: string, more: Amounts): Promise<void> {
    await this.#enqueue({ accounts: [account], allowing: { key, more } });
    for (const listener of this.#freed) listener();
  }

  /** Resolves when a call in this process has ended, and after a while for those of others. Rejects when the signal aborts. */
  whenFreed(signal: AbortSignal): Promise<void> {
    const { clock, leaseMs } = this.#setup;
    return unlessAborted<void>(signal, (done) => {
      const leave = (): void => {
        this.#freed.delete(freed);
        callOff();
      };
      const freed = (): void => {
        leave();
        done();
      };
      const callOff = clock.setTimer(clock.now() + Math.min(500, leaseMs / 3), freed);
      this.#freed.add(freed);
      return leave;
    });
  }

  /** Resolves when everything is written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    while (this.#working !== null) await this.#working;
  }

  #enqueue(job: Omit<Job, "resolve" | "reject">): Promise<Refusal | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...job, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    await null; // what is asked in the same turn is one write
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, JOBS_AT_ONCE);
      try {
        const answers = await this.#write(jobs);
        for (const [index, job] of jobs.entries()) job.resolve(answers[index] ?? null);
      } catch (error) {
        for (const job of jobs) job.reject(error);
      }
    }
    this.#working = null;
    this.#close();
  }

  async #write(jobs: readonly Job[]): Promise<(Refusal | null)[]> {
    const { store } = this.#setup;
    const accounts = new Set(jobs.flatMap((job) => job.accounts));
    const read = new Map<Account, StoredRecord | null>();
    const reserving = new Set(jobs.flatMap(({ asked, accounts: own }) => (asked === undefined ? [] : own)));
    let unread = [...accounts];
    for (;;) {
      await Promise.all(unread.map(async (account) => void read.set(account, await store.record(account.key))));
      const write = ++this.#writes;
      const drafts = new Map(
        [...read].map(([account, record]) => [account, this.#draft(account, record, reserving.has(account))] as const),
      );
      const answers = jobs.map((job) => doneIn(drafts, job));
      const changed = [...drafts].filter(([, draft]) => draft.isChanged);
      if (changed.length === 0) return answers;
      const writes = changed.map(([account, draft]) => this.#writeOf(account, draft, write));
      for (const [account] of changed) account.doubt = { write, spent: account.unwritten };
      const conflicts = new Set((await store.writeRecords(writes)).map(recordName));
      for (const [account] of changed) {
        if (conflicts.size === 0) account.unwritten = minus(account.unwritten, account.doubt?.spent ?? nothing);
        account.doubt = null;
      }
      if (conflicts.size === 0) {
        noteReserved(jobs, answers);
        return answers;
      }
      unread = changed.map(([account]) => account).filter(({ key }) => conflicts.has(recordName(key)));
    }
  }

  /** @param reserves Only the process that has a run reserves from its account, so what others have reserved there is void. */
  #draft(account: Account, record: StoredRecord | null, reserves: boolean): Draft {
    const { owner, clock } = this.#setup;
    const found = readAccount(record?.text ?? null);
    resolveDoubt(account, found, owner);
    const { held, unwritten } = account;
    const isOurs = reserves && account.key.kind === runAccounts;
    const stored = living(found, { nowMs: clock.now(), owner, isOurs });
    const own = stored.holds[owner] ?? nothing;
    const isChanged = !isNothing(unwritten) || !isNothing(minus(held, own));
    return { version: record?.version ?? 0, stored, others: minus(reservedIn(stored), own), held, isChanged };
  }

  #writeOf(account: Account, { version, stored, held }: Draft, write: number): RecordWrite {
    const { owner, clock, leaseMs } = this.#setup;
    const isIdle = isNothing(held) && isNothing(account.unwritten) && stored.holds[owner] === undefined;
    const hold = isIdle ? {} : { [owner]: { ...held, untilMs: clock.now() + leaseMs, write } };
    const spent = sum(stored.spent, account.unwritten);
    const next: StoredAccount = { ...stored, spent, holds: { ...stored.holds, ...hold } };
    return { ...account.key, expected: version, text: JSON.stringify(next) };
  }

  /** Forgets accounts that nothing in this process uses, and renews the others in time. */
  #close(): void {
    for (const [name, account] of this.#open)
      if (account.users === 0 && isNothing(account.held) && isNothing(account.unwritten)) this.#open.delete(name);
    if (this.#open.size === 0 || this.#isStopped) {
      this.#callOff?.();
      this.#callOff = null;
    } else this.#callOff ??= this.#renewLater();
  }

  #renewLater(): () => void {
    const { clock, leaseMs } = this.#setup;
    const renew = (): void => {
      this.#callOff = null;
      const accounts = [...this.#open.values()];
      this.#enqueue({ accounts, renews: true }).catch(() => {}); // the next renewal tries again
    };
    return clock.setTimer(clock.now() + leaseMs / 3, renew, true);
  }
}

/** @returns why it was not reserved. */
function doneIn(drafts: ReadonlyMap<Account, Draft>, { accounts, asked, allowing, renews }: Job): Refusal | null {
  const own = accounts.map((account) => [account, drafts.get(account) as Draft] as const);
  if (allowing !== undefined) for (const [, draft] of own) allowIn(draft, allowing);
  if (renews) for (const [, draft] of own) draft.isChanged = true;
  if (asked === undefined) return null;
  for (const [account, draft] of own) {
    const refusal = refusalOf(account, draft, asked);
    if (refusal !== null) return refusal;
  }
  for (const [, draft] of own) {
    draft.held = sum(draft.held, asked);
    draft.isChanged = true;
  }
  return null;
}

function allowIn(draft: Draft, { key, more }: NonNullable<Job["allowing"]>): void {
  draft.isChanged ||= draft.stored.allowed[key] === undefined;
  draft.stored = { ...draft.stored, allowed: { ...draft.stored.allowed, [key]: more } };
}

function refusalOf(account: Account, { stored, held, others }: Draft, asked: Amounts): Refusal | null {
  const allowed = allowedIn(stored, account.limits);
  const spent = sum(stored.spent, account.unwritten);
  const reserved = sum(others, held);
  const unit = exceeded(sum(spent, asked), allowed);
  if (unit !== null) return { account, unit, spent, reserved, allowed, isBusy: false };
  const busy = exceeded(sum(spent, asked, reserved), allowed);
  return busy === null ? null : { account, unit: busy, spent, reserved, allowed, isBusy: true };
}

/** Holds the granted amounts from now on. */
function noteReserved(jobs: readonly Job[], answers: readonly (Refusal | null)[]): void {
  for (const [index, { accounts, asked }] of jobs.entries())
    if (asked !== undefined && answers[index] === null)
      for (const account of accounts) account.held = sum(account.held, asked);
}

/** Deletes what is known of the spending of runs that are gone. A run that is still there keeps it. */
export async function deleteAccounts(store: RunStore, runs: readonly RunKey[]): Promise<void> {
  if (store.runsElsewhere === true) return;
  for (const tenant of new Set(runs.map((run) => run.tenant))) {
    const { records } = await store.records({ tenant, kind: runAccounts, limit: 1 });
    if (records.length === 0) continue;
    const gone = runs.filter((run) => run.tenant === tenant);
    await Promise.all(gone.map((run) => deleteAccount(store, run)));
  }
}

async function deleteAccount(store: RunStore, run: RunKey): Promise<void> {
  const key = runAccountKey(run);
  const record = await store.record(key);
  if (record === null || (await store.run(run)) !== null) return;
  await store.writeRecords([{ ...key, expected: record.version, text: null }]);
}
