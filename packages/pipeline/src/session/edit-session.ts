/** One `editState`: on a copy, which counts when the edit returns. */
import { plainCopy } from "../compile/plain-copy.js";
import type { EditReads } from "./counted.js";
import type { JsonObject } from "./json.js";
import { LiveSessionState, type SessionPatch } from "./session-state.js";

export interface SessionEdit<Result> {
  /** Keeps nothing of the state. */
  readonly result: Result;
  /** Made in the live state already; as they have to be stored. */
  readonly changes: readonly SessionPatch[];
  readonly reads: EditReads;
}

/**
 * What attempts have changed in place stays their own until they end: an edit that throws takes nothing of it away.
 *
 * @param assertAlive Throws where the edit does not count any more.
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
  assertAlive(); // its attempt may be over by now
  return { result, changes: live.apply(view.take()), reads: { before, paths } };
}
