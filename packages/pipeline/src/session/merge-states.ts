/**
 * What becomes of a session state when runs that began with the same one end beside each other: a three-way merge.
 *
 * Fields are merged at any depth, lists item by item (see `mergeLists`), and numbers that were only counted as amounts. Where both
 * have changed one thing in another way, the later commit stays. A change is never lost to a deletion. Where the user has named
 * a reducer of a field, that decides.
 *
 * @module
 */
import { type CountedPaths, isCounted, isCountedBelow } from "./counted.js";
import { copyJson, isObject, type JsonObject, type Path, sameJson } from "./json.js";
import { mergeLists, type Versions } from "./merge-lists.js";
import { diff, type SessionPatch } from "./patches.js";
import { absent, noReducers, reduced, type SessionReducers } from "./reducers.js";

export interface StatesToMerge {
  /** What the run began with. */
  readonly base: Readonly<JsonObject>;
  /** What is stored by now. */
  readonly theirs: Readonly<JsonObject>;
  /** What the run has made of it: the later commit. */
  readonly mine: Readonly<JsonObject>;
  /** Numbers that the run has only counted: how much each has changed is added to what is stored. @default none */
  readonly counted?: CountedPaths;
  /** For fields of the state itself that both have changed. @default none */
  readonly reducers?: SessionReducers;
}

/**
 * Changes none of them, and shares nothing with them.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID` when a reducer fails.
 */
export function mergeStates({ base, theirs, mine, counted = {}, reducers = noReducers }: StatesToMerge): JsonObject {
  return copyJson(new StateMerge(counted, reducers).objects({ base, theirs, mine }, []));
}

/** What a run has changed, field by field; a list that differs is a change of the whole list. */
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
