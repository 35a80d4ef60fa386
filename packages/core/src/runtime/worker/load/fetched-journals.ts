/** Journals of claimed runs that one read has fetched. What it left out is read run by run. */
import { idOf } from "../../store/run-key.js";
import type { RunStore, StoredJournal, StoredRun } from "../../store/run-store.types.js";
import { isNotBegun } from "../../text/start-text.js";
import type { RunReads } from "./load.js";

/** Most characters of one read, so that large runs are loaded one by one, and each is refused by itself where memory is short. */
const MAX_LENGTH = 4_000_000;

export type FetchedJournals = ReadonlyMap<string, StoredJournal>;

/** Returns them by id. Reads nothing from a store that is near. */
export async function fetchJournals(store: RunStore, runs: readonly StoredRun[]): Promise<FetchedJournals> {
  const keys = runs.filter((run) => !isNotBegun(run)).map(({ key }) => key);
  if (store.journals === undefined || keys.length === 0) return new Map();
  try {
    const journals = await store.journals(keys, MAX_LENGTH);
    return new Map(journals.map((journal) => [idOf(journal.key), journal]));
  } catch {
    return new Map(); // each load reads its own and reports its own error: a damaged run keeps no other one from being loaded
  }
}

/** Reads of a run whose journal may have been fetched. */
export function readsOf(store: RunReads, journal: StoredJournal | undefined): RunReads {
  if (journal === undefined) return store;
  const { snapshot, ticks } = journal;
  return {
    snapshot: async () => snapshot,
    ticks: async (_key, { after, limit }) => ticks.filter(({ last }) => last > after).slice(0, limit),
    blob: (hash) => store.blob(hash),
  };
}
