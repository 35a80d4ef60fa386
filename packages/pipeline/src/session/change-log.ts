/**
 * The changes of a live state, in order, and which of them are stored.
 *
 * Attempts store their changes when they end, in any order. The stored state is then the result of all stored changes,
 * applied in the order in which they were made. Once every change is stored, it equals the live state.
 *
 * @module
 */
import { copyJson, type JsonObject } from "./json.js";
import { applied, applyTo, diff, type SessionPatch } from "./patches.js";

interface Entry {
  readonly patch: SessionPatch;
  /** Attempt that stores the entry; `null` when the next attempt to store anything takes it. */
  owner: object | null;
  isTaken: boolean;
}

export class ChangeLog {
  /** The state before the first entry. */
  #base: JsonObject;
  /** The stored state: the base with all taken entries. */
  #stored: JsonObject;
  #entries: Entry[] = [];

  /** @param base Changed by the log; nobody else may have it. */
  constructor(base: JsonObject) {
    this.#base = base;
    this.#stored = base;
  }

  /** @param owner Attempt that stores the change; `null` when the next attempt to store anything takes it. */
  add(owner: object | null, patch: SessionPatch): void {
    this.#entries.push({ owner, patch, isTaken: false });
  }

  /** Leaves the entries of an ended attempt to the next one that stores. */
  giveUp(owner: object): void {
    for (const entry of this.#entries) if (entry.owner === owner) entry.owner = null;
  }

  /** The state with all entries, taken or not. */
  latest(): JsonObject {
    return applied(this.#base, patchesOf(this.#entries));
  }

  /** Patches to the stored state, for the changes of this owner and those without an owner. */
  take(owner: object): SessionPatch[] {
    let isAny = false;
    for (const entry of this.#entries) {
      if (entry.isTaken || (entry.owner !== owner && entry.owner !== null)) continue;
      entry.isTaken = true;
      isAny = true;
    }
    return isAny ? this.#settle() : [];
  }

  /** Adds changes that are stored at once. Returns the patches to the stored state. */
  addTaken(patches: readonly SessionPatch[]): SessionPatch[] {
    for (const patch of patches) this.#entries.push({ owner: null, patch, isTaken: true });
    return this.#settle();
  }

  #settle(): SessionPatch[] {
    const taken = patchesOf(this.#entries.filter(({ isTaken }) => isTaken));
    if (this.#stored === this.#base && taken.length === this.#entries.length) {
      applyTo(this.#base, taken); // in place, because most changes are stored in the order in which they are made
      this.#entries = [];
      return taken;
    }
    const next = applied(this.#base, taken);
    const patches = copyJson(diff(this.#stored, next, { lists: "items" }));
    this.#stored = next;
    this.#forget();
    return patches;
  }

  /** Drops the taken entries that no untaken entry precedes. */
  #forget(): void {
    const open = this.#entries.findIndex(({ isTaken }) => !isTaken);
    const done = open < 0 ? this.#entries : this.#entries.slice(0, open);
    this.#base = open < 0 ? this.#stored : applied(this.#base, patchesOf(done));
    this.#entries = open < 0 ? [] : this.#entries.slice(open);
    // The same object when both are the same state, so that the next change is stored as it was made.
    if (this.#entries.every(({ isTaken }) => !isTaken)) this.#stored = this.#base;
  }
}

function patchesOf(entries: readonly Entry[]): SessionPatch[] {
  return entries.map(({ patch }) => patch);
}
