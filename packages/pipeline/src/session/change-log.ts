/**
 * What was changed in a live state, in order, and how much of that is stored.
 *
 * Attempts store what they changed when they end, in any order. What is stored is then what all changes that were taken, applied
 * in the order in which they were made, give: once all are taken, that is the live state.
 *
 * @module
 */
import { copyJson, type JsonObject } from "./json.js";
import { applied, applyTo, diff, type SessionPatch } from "./patches.js";

interface Entry {
  readonly patch: SessionPatch;
  /** Null: whoever stores next takes it. */
  owner: object | null;
  isTaken: boolean;
}

export class ChangeLog {
  /** The state before the first entry. */
  #base: JsonObject;
  /** The state that is stored: the base with all entries that are taken. */
  #stored: JsonObject;
  #entries: Entry[] = [];

  /** @param base Its own: nobody else changes it. */
  constructor(base: JsonObject) {
    this.#base = base;
    this.#stored = base;
  }

  /** @param owner Null: whoever stores next takes it. */
  add(owner: object | null, patch: SessionPatch): void {
    this.#entries.push({ owner, patch, isTaken: false });
  }

  /** Their owner stores nothing any more. */
  giveUp(owner: object): void {
    for (const entry of this.#entries) if (entry.owner === owner) entry.owner = null;
  }

  /** The state with all entries, taken or not. */
  latest(): JsonObject {
    return applied(this.#base, patchesOf(this.#entries));
  }

  /** What has to change in what is stored, for the changes of this owner and those of nobody. */
  take(owner: object): SessionPatch[] {
    let isAny = false;
    for (const entry of this.#entries) {
      if (entry.isTaken || (entry.owner !== owner && entry.owner !== null)) continue;
      entry.isTaken = true;
      isAny = true;
    }
    return isAny ? this.#settle() : [];
  }

  /** Changes that are stored as they are made. Gives them as they have to be stored. */
  addTaken(patches: readonly SessionPatch[]): SessionPatch[] {
    for (const patch of patches) this.#entries.push({ owner: null, patch, isTaken: true });
    return this.#settle();
  }

  #settle(): SessionPatch[] {
    const taken = patchesOf(this.#entries.filter(({ isTaken }) => isTaken));
    if (this.#stored === this.#base && taken.length === this.#entries.length) {
      applyTo(this.#base, taken); // in place: most changes are stored one after the other
      this.#entries = [];
      return taken;
    }
    const next = applied(this.#base, taken);
    const patches = copyJson(diff(this.#stored, next, { lists: "items" }));
    this.#stored = next;
    this.#forget();
    return patches;
  }

  /** What is taken, with nothing before it that is not. */
  #forget(): void {
    const open = this.#entries.findIndex(({ isTaken }) => !isTaken);
    const done = open < 0 ? this.#entries : this.#entries.slice(0, open);
    this.#base = open < 0 ? this.#stored : applied(this.#base, patchesOf(done));
    this.#entries = open < 0 ? [] : this.#entries.slice(open);
    // The same object where it is the same state: the next change is then stored as it was made.
    if (this.#entries.every(({ isTaken }) => !isTaken)) this.#stored = this.#base;
  }
}

function patchesOf(entries: readonly Entry[]): SessionPatch[] {
  return entries.map(({ patch }) => patch);
}
