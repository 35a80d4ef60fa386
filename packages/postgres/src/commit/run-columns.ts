/** Columns of a run that every kind of commit may write. */

import type { Transaction } from "../connection/transaction.js";
import { longText } from "../text/values.js";
import type { Taken } from "./plan.js";

const setTexts = "UPDATE @runs SET outcome = $2, waiting = $3 WHERE id = $1";

export const isLong = (text: string): boolean => text.length >= longText;

/** `null` for a text that is sent separately. */
export const short = (text: string | null | undefined): string | null =>
  typeof text === "string" && !isLong(text) ? text : null;

export function sendLongSummaries(transaction: Transaction, taken: readonly Taken[]): void {
  for (const { commit, after } of taken) {
    const { outcome = null, waiting = null } = commit.summary ?? {};
    if (isLong(outcome ?? "") || isLong(waiting ?? "")) transaction.send(setTexts, [after.id, outcome, waiting]);
  }
}
