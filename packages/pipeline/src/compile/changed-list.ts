/**
 * Lists of a draft that grow with a run: put in the place of the old one, never changed in place.
 *
 * A draft copies a frozen list with `slice`, which V8 does thirty times as slowly as it spreads one. And what is frozen already is not
 * searched for drafts when the edit ends: what is put into one is none.
 *
 * @module
 */
import { isDraft, original } from "immer";

export function appended<Item>(list: readonly Item[], item: Item): readonly Item[] {
  return Object.freeze([...asItWas(list), item]);
}

export function replaced<Item>(list: readonly Item[], at: number, item: Item): readonly Item[] {
  const copy = [...asItWas(list)];
  copy[at] = item;
  return Object.freeze(copy);
}

/** Nothing changes one in place, so a draft of it is what it was. */
function asItWas<Item>(list: readonly Item[]): readonly Item[] {
  return isDraft(list) ? (original(list as unknown[]) as readonly Item[]) : list;
}
