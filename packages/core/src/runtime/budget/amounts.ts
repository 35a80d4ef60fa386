import type { Amounts, Cost } from "../../host.js";
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
