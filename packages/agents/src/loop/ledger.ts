import type { Ledger } from "./loop-run.types.js";

export function newLedger(): Ledger {
  return { calls: [], made: [], tools: [], media: [], members: [] };
}
