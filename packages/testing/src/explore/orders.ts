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

/** Which earlier parts have to come before a part, as bits. */
type Before = Int32Array;

/** Notes what each part touched, and wants the other order of every two that race, and of every one that has made another impossible. */
function noteRaces(path: readonly Decision[], { happened, left }: Played): void {
  const course = new Course(path, happened);
  for (const [depth, part] of happened.entries()) {
    const decision = path[depth];
    if (decision !== undefined) noteTried(decision, part, happened[depth + 1]?.possible ?? left);
    course.add(part, depth);
  }
  for (const part of left) course.race(part, happened.length);
}

function noteTried({ tried, wanted }: Decision, { who, access, possible }: Happened, later: readonly Possible[]): void {
  tried.set(who, access);
  for (const other of possible)
    if (other.who !== who && !later.some((one) => one.who === other.who)) wanted.add(other.who);
}

class Course {
  readonly #path: readonly Decision[];
  readonly #happened: readonly Happened[];
  readonly #before: Before[] = [];
  /** The last part of each. */
  readonly #lastOf: Map<string, number> = new Map();
  readonly #words: number;

  constructor(path: readonly Decision[], happened: readonly Happened[]) {
    this.#path = path;
    this.#happened = happened;
    this.#words = (happened.length >> 5) + 1;
  }

  add(part: Happened, depth: number): void {
    const before = this.race(part, depth);
    for (let earlier = 0; earlier < depth; earlier++)
      if (!has(before, earlier) && isDependent((this.#happened[earlier] as Happened).access, part.access))
        join(before, this.#before[earlier] as Before);
    before[depth >> 5] = (before[depth >> 5] as number) | (1 << (depth & 31));
    this.#before.push(before);
    this.#lastOf.set(part.who, depth);
  }

  /**
   * The last part before that touches the same, and need not come before, races with it. Returns what has to come before it whatever
   * else happens: the part of the same attempt before, and what made it possible.
   */
  race(part: Possible, depth: number): Before {
    const before = new Int32Array(this.#words);
    const last = this.#lastOf.get(part.who);
    for (const needed of last === undefined ? part.since : [last, ...part.since])
      join(before, this.#before[needed] as Before);
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
  for (let word = 0; word < before.length; word++) before[word] = (before[word] as number) | (other[word] as number);
}

function nameAt(possible: readonly Possible[], index: number): string {
  return (possible[index] as Possible).who;
}
