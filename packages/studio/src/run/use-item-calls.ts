import { useMemo } from "react";
import { type ItemCall, itemCallsOf } from "../model/item-calls.js";
import { attemptsOf, type ItemKey } from "../model/run-data.js";
import type { RunStore } from "../model/run-store.js";

/** The durable calls of the item whose data is shown. */
export function useItemCalls(run: RunStore, subject: ItemKey | null): readonly ItemCall[] {
  const { list } = run.attempts;
  const { entries } = run;
  const { runId, item } = subject ?? {};
  return useMemo(() => {
    if (runId === undefined || item === undefined) return [];
    return itemCallsOf({ entries, attempts: attemptsOf(list, { runId, item }).own });
  }, [entries, entries.length, list, runId, item]);
}
