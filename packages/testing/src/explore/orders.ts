/**
 * Goes through the orders of a run, one of each class of equal ones.
 *
 * Dynamic partial-order reduction with sleep sets: after each order, every two parts that touch the same, and that nothing between them
 * orders, are to be tried the other way round. What is known not to lead to another order sleeps.
 *
 * @see https://doi.org/10.1145/1040305.1040315 Flanagan and Godefroid, 2005
 * @module
 */
import { type Access, isDependent } from "./access.js";
import type { Choose, Happened, Played, Possible } from "./play.types.js";

/** A decision on the way to the present order. */
interface Decision {
  readonly possible: readonly Possible[];
  /** Index of what is tried now. */
  taken: number;
  /** Names of those that are to be tried. */
  readonly wanted: Set<string>;
  /** Those that were tried, with what they touched. */
  readonly tried: Map<string, Access>;
  /** Those that lead to no other order, with what they touch. */
  readonly sleeping: ReadonlyMap<string, Access>;
}

export interface Search {
  /** Plays the next order. */
  readonly play: (choose: Choose) => Promise<Played>;
  /** Called with each order that was played to its end. Returns `true` to stop. */
  readonly found: (played: Played) => boolean;
  /** Decisions behind this one are not tried otherwise. */
  readonly depth: number;
  /** How many orders are played at most. */
  readonly orders: number;
}

/** @returns how many orders were played, and whether these are all. */
export async function searchOrders({
  play,
  found,
  depth,
  orders,
}: Search): Promise<{ orders: number; isAll: boolean }> {
  const path: Decision[] = [];
  let isAll = true;
  for (let count = 1; ; count++) {
    const played = await play(choosing(path));
    noteRaces(path, played);
    if (played.text !== "" && found(played)) return { orders: count, isAll: false };
    if (path.length > depth) {
      isAll &&= !path.slice(depth).some(isOpen);
      path.length = depth;
    }
    if (!toNext(path)) return { orders: count, isAll };
    if (count >= orders) return { orders: count, isAll: false };
  }
}

function isOpen({ wanted, tried, sleeping }: Decision): boolean {
  return [...wanted].some((who) => !tried.has(who) && !sleeping.has(who));
}

/** Repeats the path, and goes on with what does not sleep. */
function choosing(path: Decision[]): Choose {
  return (possible, depth, last) => {
    const known = path[depth];
    if (known !== undefined) return known.taken;
    const sleeping = sleepingAfter(path[depth - 1], last);
    const taken = possible.findIndex(({ who }) => !sleeping.has(who));
    if (taken < 0) return null;
    path.push({ possible, taken, wanted: new Set([nameAt(possible, taken)]), tried: new Map(), sleeping });
    return taken;
  };
}

function sleepingAfter(before: Decision | undefined, last: Happened | null): Map<string, Access> {
  if (before === undefined || last === null) return new Map();
  const asleep = [...before.sleeping, ...before.tried].filter(([, access]) => !isDependent(access, last.access));
  return new Map(asleep);
}

/** Takes the path to the next order that is to be tried. Returns `false` if there is none. */
function toNext(path: Decision[]): boolean {
  for (let decision = path.at(-1); decision !== undefined; decision = path.at(-1)) {
    const { possible, wanted, tried, sleeping } = decision;
    const next = possible.findIndex(({ who }) => wanted.has(who) && !tried.has(who) && !sleeping.has(who));
    if (next >= 0) {
      decision.taken = next;
      return true;
    }
    path.pop();
  }
  return false;
}

type Clock = readonly number[];

/** Notes what each part touched, and wants the other order of every two that race, and of every one that has made another impossible. */
function noteRaces(path: readonly Decision[], { happened, left, madeBy }: Played): void {
  for (const [depth, part] of happened.entries()) path[depth]?.tried.set(part.who, part.access);
  const clocks: Clock[] = [];
  const lastOf = new Map<string, number>();
  for (const [depth, part] of happened.entries()) {
    const own = clockBefore(part, part.madeBy, { clocks, lastOf, length: happened.length });
    race(path, happened, { part, depth, own });
    const joined = [...own];
    for (let earlier = 0; earlier < depth; earlier++)
      if (isDependent((happened[earlier] as Happened).access, part.access)) join(joined, clocks[earlier] as Clock);
    joined[depth] = 1;
    clocks.push(joined);
    lastOf.set(part.who, depth);
  }
  for (const [depth, part] of happened.entries()) {
    const later = new Set((happened[depth + 1]?.possible ?? left).map(({ who }) => who));
    for (const { who } of part.possible) if (who !== part.who && !later.has(who)) path[depth]?.wanted.add(who);
  }
  for (const part of left) {
    const own = clockBefore(part, madeBy, { clocks, lastOf, length: happened.length });
    race(path, happened, { part, depth: happened.length, own });
  }
}

interface Clocks {
  readonly clocks: readonly Clock[];
  readonly lastOf: ReadonlyMap<string, number>;
  readonly length: number;
}

/** What has to come before a part whatever else happens: the part of the same attempt before, and what made it possible. */
function clockBefore(
  { who }: Possible,
  madeBy: ReadonlyMap<string, number>,
  { clocks, lastOf, length }: Clocks,
): number[] {
  const clock = new Array<number>(length).fill(0);
  for (const before of [lastOf.get(who), madeBy.get(who)])
    if (before !== undefined && before >= 0) join(clock, clocks[before] as Clock);
  return clock;
}

function join(clock: number[], other: Clock): void {
  for (const [depth, value] of other.entries()) if (value === 1) clock[depth] = 1;
}

interface Racing {
  readonly part: Possible;
  readonly depth: number;
  readonly own: readonly number[];
}

/** The last part before that touches the same, and need not come before. */
function race(path: readonly Decision[], happened: readonly Happened[], { part, depth, own }: Racing): void {
  for (let earlier = depth - 1; earlier >= 0; earlier--) {
    const other = happened[earlier] as Happened;
    if (own[earlier] === 1 || other.who === part.who || !isDependent(other.access, part.access)) continue;
    const decision = path[earlier];
    if (decision === undefined) continue;
    const { possible, wanted } = decision;
    if (possible.some(({ who }) => who === part.who)) wanted.add(part.who);
    else for (const { who } of possible) wanted.add(who);
    return;
  }
}

function nameAt(possible: readonly Possible[], index: number): string {
  return (possible[index] as Possible).who;
}
