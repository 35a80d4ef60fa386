/**
 * Three-way merge of a session state that concurrent runs have changed.
 *
 * Fields are merged at any depth, lists item by item (see `mergeLists`), and counted numbers by their amounts. When
 * both have changed one value differently, the later commit wins. A change is never lost to a deletion. A reducer that
 * the user has named for a field decides about it.
 *
 * @module
 */
import { type CountedPaths, isCounted, isCountedIn } from "./counted.js";
import { copyJson, isObject, type JsonObject, type Path, sameJson } from "./json.js";
import { type ListRecord, recordedOrigins } from "./list-record.js";
import { mergeLists, type Versions } from "./merge-lists.js";
import { absent, reduced, type SessionReducers, sumOf } from "./reducers.js";

export interface StatesToMerge {
  /** State at the start of the run. */
  readonly base: Readonly<JsonObject>;
  /** State that is stored now. */
  readonly theirs: Readonly<JsonObject>;
  /** State at the end of the run: the later commit. */
  readonly mine: Readonly<JsonObject>;
  /** Numbers that the run has only counted: the amount of each change is added to the stored number. @default none */
  readonly counted?: CountedPaths;
  /** What the run has done to its lists. @default they are compared */
  readonly lists?: ListRecord | undefined;
  /** Reducers for fields of the state itself that both have changed. @default none */
  readonly reducers?: SessionReducers;
}

/**
 * Returns a new state that shares nothing with the given ones.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID` when a reducer fails.
 */
export function mergeStates({ base, theirs, mine, counted = {}, lists, reducers = {} }: StatesToMerge): JsonObject {
  return copyJson(new StateMerge({ counted, lists, reducers }).objects({ base, theirs, mine }, []));
}

interface MergeRules {
  readonly counted: CountedPaths;
  readonly lists: ListRecord | undefined;
  readonly reducers: SessionReducers;
}

class StateMerge {
  readonly #how: MergeRules;

  constructor(how: MergeRules) {
    this.#how = how;
  }

  objects({ base, theirs, mine }: Versions<Readonly<JsonObject>>, path: Path): JsonObject {
    const merged: JsonObject = {};
    for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
      if (key === "__proto__") continue;
      const field = { base: fieldOf(base, key), theirs: fieldOf(theirs, key), mine: fieldOf(mine, key) };
      const value = this.#values(field, [...path, key]);
      if (value !== absent) merged[key] = value;
    }
    return merged;
  }

  #values({ base, theirs, mine }: Versions, path: Path): unknown {
    if (sameJson(base, mine)) return theirs;
    if (sameJson(base, theirs)) return mine;
    const [key] = path;
    const byUser = path.length === 1 ? reduced(this.#how.reducers, String(key), { base, theirs, mine }) : null;
    if (byUser !== null) return byUser.value;
    if (theirs === absent || mine === absent) return theirs === absent ? mine : theirs;
    const sum = isCounted(this.#how.counted, path) ? sumOf({ base, theirs, mine }) : null;
    if (sum !== null) return sum.value;
    if (isObject(theirs) && isObject(mine))
      return this.objects({ base: isObject(base) ? base : {}, theirs, mine }, path);
    if (Array.isArray(theirs) && Array.isArray(mine))
      return this.#lists({ base: Array.isArray(base) ? base : [], theirs, mine }, path);
    return mine;
  }

  #lists(versions: Versions<readonly unknown[]>, path: Path): unknown[] {
    return mergeLists(versions, {
      recorded: recordedOrigins(this.#how.lists, path, versions.base),
      merge: (item, index, isRecorded) => (isRecorded ? this : this.#comparing()).#values(item, [...path, index]),
      isCounted: (index) => isCountedIn(this.#how.counted, [...path, index]),
    });
  }

  #comparing(): StateMerge {
    return new StateMerge({ ...this.#how, lists: undefined });
  }
}

function fieldOf(value: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : absent;
}
