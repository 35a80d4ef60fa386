/**
 * Which tick changed a field last, at any tick.
 *
 * A tree of paths. Each place holds the numbers of the ticks that set it (`set`) and of those that changed something below it
 * (`below`), both in order, so a new tick costs its depth and a question a few binary searches.
 *
 * @module
 */

import type { ChangedValue } from "@millrace/client";
import { lastUpTo } from "./numbers.js";
import type { Path } from "./path.types.js";

interface Place {
  readonly set: number[];
  readonly below: number[];
  readonly inner: Map<string, Place>;
}

export class Blame {
  readonly #root: Place = newPlace();

  record(number: number, changes: readonly ChangedValue[]): void {
    for (const { path } of changes) {
      let place = this.#root;
      for (const key of path) {
        add(place.below, number);
        place = innerPlace(place, String(key));
      }
      add(place.set, number);
    }
  }

  /** The last tick up to `number` that changed the value at `path`: itself, something in it, or what it is in. */
  lastChange(path: Path, number: number): number | null {
    let place: Place | undefined = this.#root;
    let last = latest(place.set, number);
    for (const key of path) {
      place = place.inner.get(String(key));
      if (place === undefined) return last === 0 ? null : last;
      last = Math.max(last, latest(place.set, number));
    }
    last = Math.max(last, latest(place.below, number));
    return last === 0 ? null : last;
  }
}

function newPlace(): Place {
  return { set: [], below: [], inner: new Map() };
}

function innerPlace(place: Place, key: string): Place {
  const known = place.inner.get(key);
  if (known !== undefined) return known;
  const made = newPlace();
  place.inner.set(key, made);
  return made;
}

function add(numbers: number[], number: number): void {
  if (numbers.at(-1) !== number) numbers.push(number);
}

function latest(numbers: readonly number[], most: number): number {
  return numbers[lastUpTo(numbers, most, (number) => number)] ?? 0;
}
