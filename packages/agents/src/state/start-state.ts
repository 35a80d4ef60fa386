import type { SessionState } from "../run-context.types.js";
import { deepMerge } from "./live-state.js";
import { plainCopy } from "./plain-copy.js";

export interface StateSources {
  readonly template: SessionState;
  /** `null`: the session is new. */
  readonly stored: SessionState | null;
  /** What the caller of the run passed. */
  readonly given: SessionState | undefined;
  readonly overwrite: boolean;
}

/** The state a run begins with. Given wins over stored, stored over the template; overwriting forgets what is stored. */
export function startState({ template, stored, given, overwrite }: StateSources): SessionState {
  const base = given !== undefined && overwrite ? template : (stored ?? template);
  return plainCopy(given === undefined ? base : deepMerge(base, given));
}
