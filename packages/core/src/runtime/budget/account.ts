/**
 * An account: what is spent of one budget, and what the calls at work have reserved, in one record of the store.
 *
 * Each process has one hold in it, the sum of its calls at work. A process renews its holds while it lives, so the hold of a dead one
 * ends with its lease. The account of a run has one hold: that of the process that has the run.
 *
 * @module
 */

import type { Amounts, Cost } from "../../host.js";
import type { RecordKey, RunKey } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/record-text.js";

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

/** One account, as this process uses it. */
export interface Account {
  readonly key: RecordKey;
  /** The budget; a unit without a limit is left out. */
  readonly limits: Partial<Amounts>;
  /** How many calls use it. */
  users: number;
  /** Amounts held by calls at work in this process. */
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

export function isTimezone(timeZone: unknown): boolean {
  if (typeof timeZone !== "string" || timeZone === "") return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }) !== null;
  } catch {
    return false; // the time zone is unknown
  }
}
