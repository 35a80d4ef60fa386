/**
 * An account: what is spent of one budget, and what the calls at work have reserved, in one record of the store.
 *
 * Each process has one hold in it, the sum of its calls at work. A process renews its holds while it lives, so the hold of a dead one
 * ends with its lease. The account of a run has one hold: that of the process that has the run.
 *
 * @module
 */
import type { Amounts } from "../../host.js";
import type { RecordKey, RunKey } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/own-records.js";
import { minus, nothing, sum, units } from "./amounts.js";

/** Kinds of the records. */
export const runAccounts: string = ownKind("run-budget");
export const dayAccounts: string = ownKind("day-budget");

/** What the record of an account holds, as JSON. */
export interface StoredAccount {
  readonly spent: Amounts;
  /** What was allowed beyond the budget, by the key of the call that has done it. */
  readonly allowed: { readonly [key: string]: Amounts };
  /** By process. */
  readonly holds: { readonly [owner: string]: Hold };
}

interface Hold extends Amounts {
  readonly untilMs: number;
  /** Number of the write, so that a process knows whether a write that failed has come about. */
  readonly write: number;
}

/** One account, as this process uses it. */
export interface Account {
  readonly key: RecordKey;
  /** The budget; a unit without a limit is left out. */
  readonly limits: Partial<Amounts>;
  /** How many calls use it. */
  users: number;
  /** Of calls at work in this process. */
  held: Amounts;
  /** Spent, and not in the record yet. */
  unwritten: Amounts;
  /** A write whose end is not known, with what it wrote as spent. */
  doubt: { readonly write: number; readonly spent: Amounts } | null;
}

export function openAccount(key: RecordKey, limits: Partial<Amounts>): Account {
  return { key, limits, users: 0, held: nothing, unwritten: nothing, doubt: null };
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
  /** Its hold stays. */
  readonly owner?: string;
  /** `true`: nobody else may hold anything. */
  readonly isOurs?: boolean;
}

/** Without the holds of processes that are dead, or have lost the run. */
export function living(stored: StoredAccount, { nowMs, owner, isOurs = false }: Living): StoredAccount {
  const isAlive = ([name, { untilMs }]: [string, Hold]): boolean => name === owner || (!isOurs && untilMs > nowMs);
  return { ...stored, holds: Object.fromEntries(Object.entries(stored.holds).filter(isAlive)) };
}

/** What may be spent, with what was allowed later. */
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
