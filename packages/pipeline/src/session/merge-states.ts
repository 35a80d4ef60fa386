/**
 * Three-way merge of a session state that concurrent runs have changed.
 *
 * Fields are merged at any depth, lists item by item (see `mergeLists`), and counted numbers by their amounts. When
 * both have changed one value differently, the later commit wins. A change is never lost to a deletion. A reducer that
 * the user has named for a field decides about it.
 *
 * @module
 */
import { type CountedPaths, isCounted, isCountedBelow } from "./counted.js";
import { copyJson, isObject, type JsonObject, type Path, sameJson } from "./json.js";
import { mergeLists, type Versions } from "./merge-lists.js";
import { diff, type SessionPatch } from "./patches.js";
import { absent, noReducers, reduced, type SessionReducers } from "./reducers.js";

export interface StatesToMerge {
  /** State at the start of the run. */
  readonly base: Readonly<JsonObject>;
  /** State that is stored now. */
  readonly theirs: Readonly<JsonObject>;
  /** State at the end of the run: the later commit. */
  readonly mine: Readonly<JsonObject>;
  /** Numbers that the run has only counted: the amount of each change is added to the stored number. @default none */
  readonly counted?: CountedPaths;
  /** Reducers for fields of the state itself that both have changed. @default none */
  readonly reducers?: SessionReducers;
}

/**
 * Returns a new state that shares nothing with the given ones.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID` when a reducer fails.
 */
export function mergeStates({ base, theirs, mine, counted = {}, reducers = noReducers }: StatesToMerge): JsonObject {
  return copyJson(new StateMerge(counted, reducers).objects({ base, theirs, mine }, []));
}

/** Lists the changes of a run by field. A list that differs is one change of the whole list. */
export function changesOf(base: Readonly<JsonObject>, mine: Readonly<JsonObject>): SessionPatch[] {
  return diff(base, mine, { lists: "whole" });
}

interface NumberVersions extends Versions {
  readonly theirs: number;
  readonly mine: number;
}

class StateMerge {
  readonly #counted: CountedPaths;
  readonly #reducers: SessionReducers;

  constructor(counted: CountedPaths, reducers: SessionReducers) {
    this.#counted = counted;
    this.#reducers = reducers;
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
    const byUser = path.length === 1 ? reduced(this.#reducers, String(key), { base, theirs, mine }) : null;
    if (byUser !== null) return byUser.value;
    if (theirs === absent || mine === absent) return theirs === absent ? mine : theirs;
    if (typeof theirs === "number" && typeof mine === "number") return this.#numbers({ base, theirs, mine }, path);
    if (isObject(theirs) && isObject(mine))
      return this.objects({ base: isObject(base) ? base : {}, theirs, mine }, path);
    if (Array.isArray(theirs) && Array.isArray(mine))
      return this.#lists({ base: Array.isArray(base) ? base : [], theirs, mine }, path);
    return mine;
  }

  #numbers({ base, theirs, mine }: NumberVersions, path: Path): number {
    if (!isCounted(this.#counted, path)) return mine;
    const sum = theirs + (mine - (typeof base === "number" ? base : 0));
    return Number.isFinite(sum) ? sum : mine;
  }

  #lists(versions: Versions<readonly unknown[]>, path: Path): unknown[] {
    return mergeLists(versions, {
      merge: (item, index) => this.#values(item, [...path, index]),
      isCounted: (index) =>
        isCounted(this.#counted, [...path, index]) || isCountedBelow(this.#counted, [...path, index]),
    });
  }
}

function fieldOf(value: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : absent;
}
