/** A change of a state: as patches, or whole. */

export type StateChange = PatchedState | ReplacedState;

export interface PatchedState {
  readonly patches: readonly StatePatch[];
  /** The state after the edit, when it is known. Never stored: the patches produce it. */
  readonly next?: unknown;
}

export interface ReplacedState {
  readonly whole: true;
  readonly next: unknown;
}

export interface StatePatch {
  readonly op: "add" | "remove" | "replace";
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}
