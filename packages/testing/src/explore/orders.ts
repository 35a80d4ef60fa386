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
  const course = new Course(path);
  const choose = choosing(path);
  let isAll = true;
  for (let count = 1; ; count++) {
    const since = Math.max(0, path.length - 1);
    const played = await play(choose);
    course.follow(played, since);
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
  const asleep = new Map<string, Access>();
  for (const known of [before.sleeping, before.tried])
    for (const [who, access] of known) if (!isDependent(access, last.access)) asleep.set(who, access);
  return asleep;
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

/** Which earlier parts have to come before a part, and itself, as bits. */
type Before = Int32Array;

function noteTried({ tried, wanted }: Decision, { who, access, possible }: Happened, later: readonly Possible[]): void {
  tried.set(who, access);
  for (const other of possible)
    if (other.who !== who && !later.some((one) => one.who === other.who)) wanted.add(other.who);
}

/**
 * Notes what each part touched, and wants the other order of every two that race, and of every one that has made another impossible.
 *
 * An order has its beginning in common with the one before it: what was noted of these parts holds.
 */
class Course {
  readonly #path: readonly Decision[];
  #happened: readonly Happened[] = [];
  /** Reused: a part has no more before it than its depth, in any order. */
  readonly #before: Before[] = [];

  constructor(path: readonly Decision[]) {
    this.#path = path;
  }

  /** @param since Depth of the first part that is another one than in the order before. */
  follow({ happened, left }: Played, since: number): void {
    const first = this.#firstOther(happened, since);
    this.#happened = happened;
    for (let depth = first; depth < happened.length; depth++) {
      const part = happened[depth] as Happened;
      const decision = this.#path[depth];
      if (decision !== undefined) noteTried(decision, part, happened[depth + 1]?.possible ?? left);
      this.#add(part, depth);
    }
    for (const part of left) this.#race(part, happened.length);
  }

  /** A step that does not do the same again is seen as late as here. */
  #firstOther(happened: readonly Happened[], since: number): number {
    for (let depth = 0; depth < since; depth++) if (happened[depth]?.who !== this.#happened[depth]?.who) return depth;
    return since;
  }

  #add(part: Happened, depth: number): void {
    const before = this.#race(part, depth);
    for (let earlier = 0; earlier < depth; earlier++)
      if (!has(before, earlier) && isDependent((this.#happened[earlier] as Happened).access, part.access))
        join(before, this.#before[earlier] as Before);
    before[depth >> 5] = (before[depth >> 5] as number) | (1 << (depth & 31));
  }

  /**
   * The last part before that touches the same, and need not come before, races with it. Returns what has to come before it whatever
   * else happens: the part of the same attempt before, and what made it possible.
   */
  #race(part: Possible, depth: number): Before {
    const before = this.#noneBefore(depth);
    const last = this.#lastOf(part.who, depth);
    if (last >= 0) join(before, this.#before[last] as Before);
    for (const needed of part.since) join(before, this.#before[needed] as Before);
    for (let earlier = depth - 1; earlier >= 0; earlier--) {
      const other = this.#happened[earlier] as Happened;
      if (has(before, earlier) || other.who === part.who || !isDependent(other.access, part.access)) continue;
      const decision = this.#path[earlier];
      if (decision === undefined) continue;
      want(decision, part.who);
      break;
    }
    return before;
  }

  /** The last part of the same before; -1 if there is none. */
  #lastOf(who: string, depth: number): number {
    let last = depth - 1;
    while (last >= 0 && (this.#happened[last] as Happened).who !== who) last--;
    return last;
  }

  #noneBefore(depth: number): Before {
    const known = this.#before[depth];
    if (known !== undefined) return known.fill(0);
    const made = new Int32Array((depth >> 5) + 1);
    this.#before[depth] = made;
    return made;
  }
}

/** That part, or what may lead to it. */
function want({ possible, wanted }: Decision, part: string): void {
  if (possible.some(({ who }) => who === part)) wanted.add(part);
  else for (const { who } of possible) wanted.add(who);
}

function has(before: Before, depth: number): boolean {
  return (((before[depth >> 5] as number) >>> (depth & 31)) & 1) === 1;
}

function join(before: Before, other: Before): void {
  for (let word = 0; word < other.length; word++) before[word] = (before[word] as number) | (other[word] as number);
}

function nameAt(possible: readonly Possible[], index: number): string {
  return (possible[index] as Possible).who;
}
