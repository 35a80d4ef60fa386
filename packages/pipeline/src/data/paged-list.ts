/**
 * Lists in pages: a change copies a page and the list of pages, where a change of one long list copies all of it.
 *
 * Plain data, written in place: in a draft of the state, or in a state that is not shared.
 *
 * @module
 */
import { plainOf, type StatePatch } from "millrace/engine";

type Plain = object | number | null;

/** At least one page, and all but the last are full. */
export type PagedList<Item extends Plain> = Item[][];

/** Items of a page. A change of a list of 1,000 copies 80 places. */
const PAGE = 64;

export function pagedList<Item extends Plain>(items: readonly Item[]): PagedList<Item> {
  const pages: Item[][] = [items.slice(0, PAGE)];
  for (let at = PAGE; at < items.length; at += PAGE) pages.push(items.slice(at, at + PAGE));
  return pages;
}

export function sizeOf(list: PagedList<Plain>): number {
  return (list.length - 1) * PAGE + lastPage(list).length;
}

/** `undefined`: there is no such place. */
export function itemAt<Item extends Plain>(list: PagedList<Item>, at: number): Item | undefined {
  return list[Math.floor(at / PAGE)]?.[at % PAGE];
}

/** @param from The first place, not negative. */
export function itemsOf<Item extends Plain>(list: PagedList<Item>, from = 0): Item[] {
  const first = Math.floor(from / PAGE);
  return plainOf(list)
    .slice(first)
    .flatMap((page, index) => (index === 0 ? page.slice(from % PAGE) : page));
}

export function append<Item extends Plain>(list: PagedList<Item>, item: Item): void {
  if (lastPage(list).length === PAGE) list.push([item]);
  else lastPage(list).push(item);
}

/** Removes the last item. */
export function dropLast(list: PagedList<Plain>): void {
  lastPage(list).pop();
  if (list.length > 1 && lastPage(list).length === 0) list.pop();
}

/** Where a list is in a state. */
interface ListAt {
  readonly path: StatePatch["path"];
  readonly list: PagedList<Plain>;
}

/** As {@link append}, as patches. */
export function appendingTo({ path, list }: ListAt, value: Plain): StatePatch[] {
  const { length } = lastPage(list);
  if (length < PAGE) return [{ op: "add", path: [...path, list.length - 1, length], value }];
  // In two, so that the value is one of a patch: an event that shows it is stored as that.
  return [
    { op: "add", path: [...path, list.length], value: [] },
    { op: "add", path: [...path, list.length, 0], value },
  ];
}

/** Puts another item in a place that has one. */
export function replaceAt<Item extends Plain>(list: PagedList<Item>, at: number, item: Item): void {
  (list[Math.floor(at / PAGE)] as Item[])[at % PAGE] = item;
}

/** As {@link replaceAt}, as a patch. */
export function replacingIn(path: StatePatch["path"], at: number, value: Plain): StatePatch {
  return { op: "replace", path: [...path, Math.floor(at / PAGE), at % PAGE], value };
}

/** A copy that may be changed at its end, and at this place: the other pages are shared. */
export function copyToChange<Item extends Plain>(list: PagedList<Item>, at: number): PagedList<Item> {
  const pages = [...list];
  pages[pages.length - 1] = [...lastPage(list)];
  const index = Math.floor(at / PAGE);
  if (index < pages.length - 1) pages[index] = [...(pages[index] as Item[])];
  return pages;
}

/** What was appended to such a copy, and put in another place of it, as patches of the list. */
export function changesOf({ path, list }: ListAt, copy: PagedList<Plain>): StatePatch[] {
  const patches: StatePatch[] = [];
  for (let page = 0; page < copy.length; page++) {
    const [items, before] = [copy[page] as Plain[], list[page]];
    if (items === before) continue;
    if (before === undefined) patches.push({ op: "add", path: [...path, page], value: [] });
    const length = before?.length ?? 0;
    for (let at = 0; at < items.length; at++)
      if (at >= length || items[at] !== before?.[at])
        patches.push({ op: at < length ? "replace" : "add", path: [...path, page, at], value: items[at] });
  }
  return patches;
}

function lastPage<Item>(list: Item[][]): Item[] {
  return list[list.length - 1] as Item[];
}
