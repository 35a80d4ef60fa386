/**
 * The live session state of a run: one object for everything in the run, with a record of who changed what.
 *
 * A change through any view is visible at once to all. Each attempt has its own view, which records the attempt's
 * changes; they are stored with its result.
 *
 * @module
 */
import { type Container, copyJson, fieldAt, type JsonObject, pathKey, toPlain } from "./json.js";
import { applied, applyTo, diff, type SessionPatch } from "./patches.js";
import { StateTree } from "./state-tree.js";
import { StateView, type ViewListener } from "./state-view.js";

/** The state as one attempt sees it. */
export interface SessionView {
  /** Behaves like a plain object. @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when a value is written that is not JSON. */
  readonly state: JsonObject;
  /** Replaces the content of the object, for all views. */
  replace(state: JsonObject): void;
  /** Returns the changes of this attempt since the last call, to be applied to a stored state. */
  take(): SessionPatch[];
  /**
   * Ends the attempt: further changes throw `error`. Changes that were not taken stay, and are stored with the next
   * changes of any attempt.
   */
  close(makeError: () => unknown): void;
}

export class LiveSessionState {
  readonly #tree: StateTree;
  readonly #log: ChangeLog;

  /** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
  constructor(initial: Readonly<JsonObject>) {
    this.#tree = new StateTree(copyJson(initial));
    this.#log = new ChangeLog(copyJson(initial));
  }

  /** Returns a copy. */
  plain(): JsonObject {
    return copyJson(this.#tree.root);
  }

  /** A view that reports the path, as text, of each number that is read, and of each missing field. */
  watchedView(looked: (path: string) => void): SessionView {
    return this.view((container, key) => {
      const path = this.#tree.pathOf(container);
      if (path !== null) looked(pathKey([...path, Array.isArray(container) ? Number(key) : key]));
    });
  }

  view(looked?: ViewListener["looked"]): SessionView {
    const owner = {};
    const given = new Set<Container>();
    let closed: (() => unknown) | null = null;
    const view = new StateView(this.#tree, {
      assertOpen: () => {
        if (closed !== null) throw closed();
      },
      changed: (patch) => this.#log.add(owner, patch),
      given: (container) => given.add(container),
      ...(looked !== undefined && { looked }),
    });
    const log = this.#log;
    const recordGiven = (): void => this.#recordGiven(owner, given);
    return {
      get state() {
        return view.state;
      },
      replace: (state) => view.replace(state),
      take() {
        recordGiven();
        return log.take(owner);
      },
      close(makeError) {
        if (closed !== null) return;
        recordGiven();
        given.clear();
        log.discard(owner);
        closed = makeError;
      },
    };
  }

  /** Returns changes that ended attempts have not stored. */
  takeLeft(): SessionPatch[] {
    return this.#log.take({});
  }

  /**
   * Makes changes that are stored at once. Returns them as patches to the stored state, which other changes have not
   * reached yet.
   */
  apply(patches: readonly SessionPatch[]): SessionPatch[] {
    applyTo(this.#tree.root, patches);
    return this.#log.addTaken(patches);
  }

  /** Records changes of objects that were put into the state and then changed through another reference. */
  #recordGiven(owner: object, given: ReadonlySet<Container>): void {
    const places = [...given].flatMap((container) => {
      const path = this.#tree.isIn(container, given) ? null : this.#tree.pathOf(container);
      return path === null ? [] : [{ container, path }];
    });
    if (places.length === 0) return;
    let known = this.#log.latest();
    for (const { container, path } of places) {
      const patches = diff(fieldAt(known, path), copyJson(toPlain(container, path)), { lists: "items", path });
      for (const patch of patches) this.#log.add(owner, patch);
      if (patches.length > 0) known = this.#log.latest();
    }
  }
}

interface Entry {
  readonly patch: SessionPatch;
  /** Attempt that stores the entry; `null` when the next attempt to store anything takes it. */
  owner: object | null;
  isTaken: boolean;
}

/**
 * The changes of a live state, in order, and which of them are stored.
 *
 * Attempts store their changes when they end, in any order. The stored state is then the result of all stored changes,
 * applied in the order in which they were made. Once every change is stored, it equals the live state.
 */
class ChangeLog {
  /** The state before the first entry. */
  #base: JsonObject;
  /** The stored state: the base with all taken entries. */
  #stored: JsonObject;
  #entries: Entry[] = [];

  /** @param base Changed by the log; it must not be shared. */
  constructor(base: JsonObject) {
    this.#base = base;
    this.#stored = base;
  }

  /** @param owner Attempt that stores the change. */
  add(owner: object, patch: SessionPatch): void {
    this.#entries.push({ owner, patch, isTaken: false });
  }

  /** Leaves the entries of an ended attempt to the next one that stores. */
  discard(owner: object): void {
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
