/** A state as a plain object, for agents outside of pipelines: `editState`, and the numbers it has counted. */

import { plainCopy } from "../values/plain-copy.js";
import { type CountedPaths, type EditReads, keepChanges, type StoredSession, valueAt } from "./counted.js";
import type { JsonObject } from "./json.js";
import type { SessionPatch } from "./patches.js";
import { LiveSessionState } from "./session-state.js";

export class CountingState {
  readonly #stored: StoredSession;
  /** Numbers after the last edit. */
  readonly #known: Map<string, unknown> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param state Changed in place by its users.
   * @param base State of the session at the start.
   */
  constructor(state: JsonObject, base: Readonly<JsonObject>) {
    this.#stored = { session: state, sessionAtStart: base, counted: {} };
  }

  /** Edits a copy, one edit at a time; an edit that throws changes nothing. @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
  edit<Result>(edit: (state: JsonObject) => Result | Promise<Result>): Promise<Result> {
    const edited = this.#last.then(() => this.#edit(edit));
    this.#last = edited.catch(() => {}); // the caller gets the error; the next edit starts anyway
    return edited;
  }

  /** Paths of the numbers that only edits have changed. */
  get counted(): CountedPaths {
    const { session, counted } = this.#stored;
    for (const key of Object.keys(counted))
      if (!Object.is(valueAt(session, key), this.#known.get(key))) delete counted[key];
    return counted;
  }

  async #edit<Result>(edit: (state: JsonObject) => Result | Promise<Result>): Promise<Result> {
    const { session } = this.#stored;
    const { result, changes, reads } = await editSession(new LiveSessionState(session), edit);
    void this.counted; // drops numbers that were set in place since the last edit
    keepChanges(this.#stored, changes, reads);
    for (const key of Object.keys(this.#stored.counted)) this.#known.set(key, valueAt(session, key));
    return result;
  }
}

interface SessionEdit<Result> {
  /** Result of the edit, without references to the state. */
  readonly result: Result;
  /** Changes that are already in the live state, as patches to the stored state. */
  readonly changes: readonly SessionPatch[];
  readonly reads: EditReads;
}

/**
 * Makes one `editState`, on a copy that takes effect when the edit returns.
 *
 * Changes that attempts have made in place stay theirs until they end; an edit that throws does not undo them.
 *
 * @param assertAlive Throws when the edit no longer counts.
 */
export async function editSession<Result>(
  live: LiveSessionState,
  edit: (state: JsonObject) => Result | Promise<Result>,
  assertAlive: () => void = () => {},
): Promise<SessionEdit<Result>> {
  const before = live.plain();
  const paths = new Set<string>();
  const view = new LiveSessionState(before).watchedView((path) => paths.add(path));
  const result = plainCopy(await edit(view.state)) as Result;
  assertAlive(); // the attempt may have ended meanwhile
  return { result, changes: live.apply(view.take()), reads: { before, paths } };
}
