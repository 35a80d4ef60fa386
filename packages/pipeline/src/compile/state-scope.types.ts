import type { StoredSession } from "../session/counted.js";
import type { JsonObject } from "../session/json.js";
import type { FamilyState } from "./pipeline-state.types.js";

/** A session state: of the outermost run, or of one branch. */
export interface StateScope {
  /** `""`: of the run. */
  readonly key: string;
  /** What is stored, also before the first change. Null: the branch was given up. */
  read(family: FamilyState): Readonly<JsonObject> | null;
  /** To be changed in place, within an edit. Null: the branch was given up. */
  write(draft: FamilyState): StoredSession | null;
}
