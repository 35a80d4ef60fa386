/** Rows of the state tree at one tick. */

import type { ChangedValue } from "@millrace/client";
import type { Blame } from "./blame.js";
import type { Path } from "./path.types.js";

export interface StateRow {
  /** Unique in the tree, and the same at every tick. */
  readonly id: string;
  readonly path: Path;
  readonly key: string;
  readonly depth: number;
  readonly value: unknown;
  /** Fields or elements of an object or list; `null` for other values. */
  readonly size: number | null;
  readonly isOpen: boolean;
  /** The tick did this. */
  readonly isChanged: boolean;
  /** The tick that changed it last. */
  readonly changedAt: number | null;
}

export interface StateView {
  readonly state: unknown;
  /** Of the tick itself. */
  readonly changes: readonly ChangedValue[];
  readonly tick: number;
  readonly blame: Blame;
  /** Rows whose state is not the usual one, by id. */
  readonly toggled: ReadonlySet<string>;
  readonly onlyChanged: boolean;
  /** A field that the state does not have: what is in it is at the top of the state. It begins closed. */
  readonly folded?: string;
}

/** Objects and lists below this depth, or larger than that, begin closed. */
const openDepth = 3;
const openSize = 50;

export function stateRows(view: StateView): readonly StateRow[] {
  const changed = new Set<string>();
  const above = new Set<string>();
  for (const { path } of view.changes) {
    changed.add(idOf(path));
    for (let length = 1; length < path.length; length++) above.add(idOf(path.slice(0, length)));
  }
  const rows: StateRow[] = [];
  const walk = (value: unknown, path: Path, isInChange: boolean): void => {
    for (const [key, inner] of fieldsOf(value)) {
      const place = [...path, key];
      const id = idOf(place);
      const isFolded = place[0] === view.folded;
      const stored = isFolded ? place.slice(1) : place;
      const isChanged = changed.has(idOf(stored));
      if (view.onlyChanged && !isChanged && !isInChange && !above.has(idOf(stored))) continue;
      const size = sizeOf(inner);
      const isNear = stored.length <= openDepth && (size ?? 0) <= openSize;
      const opens = stored.length > 0 && (isNear || above.has(idOf(stored)));
      const isOpen = size !== null && size > 0 && opens !== view.toggled.has(id);
      rows.push({
        id,
        path: stored,
        key: String(key),
        depth: path.length,
        value: inner,
        size,
        isOpen,
        isChanged,
        changedAt: stored.length === 0 ? null : view.blame.lastChange(stored, view.tick),
      });
      if (isOpen) walk(inner, place, isInChange || isChanged);
    }
  };
  walk(view.state, [], false);
  return rows;
}

/** Keys may hold any character, so a joined path would not be unique. */
export function idOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

function fieldsOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((inner, index) => [index, inner] as const);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function sizeOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : null;
}
