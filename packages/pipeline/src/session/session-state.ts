/**
 * The live session state of a run: one object for everything in the run, with a record of who changed what.
 *
 * A change through any view is visible at once to all. Each attempt has its own view, which records the attempt's
 * changes; they are stored with its result.
 *
 * @module
 */
import { ChangeLog } from "./change-log.js";
import { pathKey } from "./counted.js";
import { type Container, copyJson, type JsonObject } from "./json.js";
import { applyTo, diff, type SessionPatch } from "./patches.js";
import { StateTree } from "./state-tree.js";
import { StateView, type ViewListener } from "./state-view.js";

export type { SessionPatch } from "./patches.js";

/** The state as one attempt sees it. */
export interface SessionView {
  /** Behaves like a plain object. @throws {WorkflowError} `STATE_UNSTORABLE` when a value is written that is not JSON. */
  readonly state: JsonObject;
  /** Replaces the content of the object, for all views. */
  replace(state: JsonObject): void;
  /** Returns the changes of this attempt since the last call, for {@link LiveSessionState.applyTo}. */
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

  /** @throws {WorkflowError} `STATE_UNSTORABLE` */
  constructor(initial: Readonly<JsonObject>) {
    this.#tree = new StateTree(copyJson(initial));
    this.#log = new ChangeLog(copyJson(initial));
  }

  /** Returns a copy. */
  plain(): JsonObject {
    return copyJson(this.#tree.root);
  }

  view(): SessionView {
    return this.#view();
  }

  /** A view that reports the path, as text, of each number that is read, and of each missing field. */
  watchedView(looked: (path: string) => void): SessionView {
    return this.#view((container, key) => {
      const path = this.#tree.pathOf(container);
      if (path !== null) looked(pathKey([...path, Array.isArray(container) ? Number(key) : key]));
    });
  }

  #view(looked?: ViewListener["looked"]): SessionView {
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
        log.giveUp(owner);
        closed = makeError;
      },
    };
  }

  /** Returns changes that ended attempts have not stored, for {@link LiveSessionState.applyTo}. */
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

  /** Applies patches to a stored state, which may be a draft. */
  static applyTo(state: JsonObject, patches: readonly SessionPatch[]): void {
    applyTo(state, patches);
  }

  /** Records changes of objects that were put into the state and then changed through another reference. */
  #recordGiven(owner: object, given: ReadonlySet<Container>): void {
    const places = [...given].flatMap((container) => {
      const path = this.#tree.isIn(container, given) ? null : this.#tree.pathOf(container);
      return path === null ? [] : [{ container, path }];
    });
    if (places.length === 0) return;
    let known: unknown = this.#log.latest();
    for (const { container, path } of places) {
      const before = path.reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], known);
      const patches = diff(before, this.#tree.toPlainAt(container, path), { lists: "items", path });
      for (const patch of patches) this.#log.add(owner, patch);
      if (patches.length > 0) known = this.#log.latest();
    }
  }
}
