/** One `editState`, on a copy that takes effect when the edit returns. */
import { plainCopy } from "../compile/plain-copy.js";
import type { EditReads } from "./counted.js";
import type { JsonObject } from "./json.js";
import { LiveSessionState, type SessionPatch } from "./session-state.js";

export interface SessionEdit<Result> {
  /** Result of the edit, without references to the state. */
  readonly result: Result;
  /** Changes that are already in the live state, as patches to the stored state. */
  readonly changes: readonly SessionPatch[];
  readonly reads: EditReads;
}

/**
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
