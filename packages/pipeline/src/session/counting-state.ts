/** A state that is a plain object, as agents have that work alone: `editState`, and what it has counted. */
import { type CountedPaths, keepChanges, type StoredSession, valueAt } from "./counted.js";
import { editSession } from "./edit-session.js";
import type { JsonObject } from "./json.js";
import { LiveSessionState } from "./session-state.js";

export class CountingState {
  readonly #stored: StoredSession;
  /** Numbers as the last edit has left them. */
  readonly #known: Map<string, unknown> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param state Changed in place, by whoever has it.
   * @param base What the session had when it began.
   */
  constructor(state: JsonObject, base: Readonly<JsonObject>) {
    this.#stored = { session: state, sessionAtStart: base, counted: {} };
  }

  /** One edit at a time, on a copy: one that throws changes nothing. @throws {WorkflowError} `STATE_UNSTORABLE` */
  edit<Result>(edit: (state: JsonObject) => Result | Promise<Result>): Promise<Result> {
    const edited = this.#last.then(() => this.#edit(edit));
    this.#last = edited.catch(() => {}); // the caller has the error; the next edit has nothing to do with it
    return edited;
  }

  /** Numbers that were changed by edits only. */
  get counted(): CountedPaths {
    const { session, counted } = this.#stored;
    for (const key of Object.keys(counted))
      if (!Object.is(valueAt(session, key), this.#known.get(key))) delete counted[key];
    return counted;
  }

  async #edit<Result>(edit: (state: JsonObject) => Result | Promise<Result>): Promise<Result> {
    const { session } = this.#stored;
    const { result, changes, reads } = await editSession(new LiveSessionState(session), edit);
    void this.counted; // without what was set in place since the last edit
    keepChanges(this.#stored, changes, reads);
    for (const key of Object.keys(this.#stored.counted)) this.#known.set(key, valueAt(session, key));
    return result;
  }
}
