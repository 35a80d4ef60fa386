/**
 * The session state of a run in memory: one object for all that runs, and who changed what.
 *
 * A change through any view is there for all at once. Each attempt has a view of its own, which records what that attempt
 * changes: it is stored with its result.
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

/** The state as one attempt has it. */
export interface SessionView {
  /** Reads and writes like a plain object. @throws {WorkflowError} `STATE_UNSTORABLE` where something is written that is no JSON. */
  readonly state: JsonObject;
  /** Replaces the content, not the object: everybody sees it. */
  replace(state: JsonObject): void;
  /** What this attempt has changed since the last time, for {@link LiveSessionState.applyTo}. */
  take(): SessionPatch[];
  /**
   * The attempt is over, and changes nothing any more: it gets the error instead. What it has changed and not taken stays, and is
   * stored with the next changes that anybody takes.
   */
  close(error: unknown): void;
}

export class LiveSessionState {
  readonly #tree: StateTree;
  readonly #log: ChangeLog;

  /** @throws {WorkflowError} `STATE_UNSTORABLE` */
  constructor(initial: Readonly<JsonObject>) {
    this.#tree = new StateTree(copyJson(initial));
    this.#log = new ChangeLog(copyJson(initial));
  }

  /** A copy. */
  plain(): JsonObject {
    return copyJson(this.#tree.root);
  }

  view(): SessionView {
    return this.#view();
  }

  /** A view that tells of each number that is read, and of each field that is not there: by its path, as text. */
  watchedView(looked: (path: string) => void): SessionView {
    return this.#view((container, key) => {
      const path = this.#tree.pathOf(container);
      if (path !== null) looked(pathKey([...path, Array.isArray(container) ? Number(key) : key]));
    });
  }

  #view(looked?: ViewListener["looked"]): SessionView {
    const owner = {};
    const given = new Set<Container>();
    let closed: { readonly error: unknown } | null = null;
    const view = new StateView(this.#tree, {
      assertOpen: () => {
        if (closed !== null) throw closed.error;
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
      close(error) {
        if (closed !== null) return;
        recordGiven();
        given.clear();
        log.giveUp(owner);
        closed = { error };
      },
    };
  }

  /** What attempts that are over have changed and not stored, for {@link LiveSessionState.applyTo}. */
  takeLeft(): SessionPatch[] {
    return this.#log.take({});
  }

  /** Makes changes that are stored at the same time. Gives them as they have to be stored, beside changes that are not yet. */
  apply(patches: readonly SessionPatch[]): SessionPatch[] {
    applyTo(this.#tree.root, patches);
    return this.#log.addTaken(patches);
  }

  /** Changes a stored state, which may be a draft. */
  static applyTo(state: JsonObject, patches: readonly SessionPatch[]): void {
    applyTo(state, patches);
  }

  /** Objects that were put into the state and then changed by whoever still has them. */
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
