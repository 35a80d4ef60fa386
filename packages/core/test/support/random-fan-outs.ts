/**
 * Random workflows of fan-outs, collects, joins and plain steps, each with what it should give, said again with plain arrays.
 *
 * A part leads from an event `from(n)` to at most one event `to(m)`: as steps, and as a function from `n` to `m`. Null is a
 * branch that ends; what throws in the one throws in the other.
 */
import * as z from "zod";
import {
  type Context,
  collect,
  defineWorkflow,
  event,
  join,
  many,
  StartEvent,
  StopEvent,
  type Workflow,
} from "../../src/index.js";

/** From `n` to `m`, or to nothing. */
export type Model = (n: number) => number | null;

export interface Program {
  readonly workflow: Workflow;
  readonly expected:
    | { readonly status: "completed"; readonly result: unknown }
    | { readonly status: "failed"; readonly message: string };
  /** For the message of a failure. */
  readonly parts: readonly string[];
}

const shape = { n: z.number(), k: z.number().default(0) };
interface Item {
  readonly n: number;
  readonly k: number;
}
type MakeItem = new (fields: { readonly n: number; readonly k?: number }) => object;
type Run = (input: never, ctx: Context) => unknown;
interface Loose {
  step(name: string, options: object, run: Run): Loose;
  catchError(name: string, options: object, run: Run): Loose;
  build(): Workflow;
}

const FAILED = "a step has failed";
const LIMIT = 1000;

export function randomProgram(seed: number): Program {
  const made = new Maker(seed);
  const { parts } = made;
  const model = made.root();
  const expected = outcomeOf(model);
  return { workflow: made.builder.build(), expected, parts };
}

function outcomeOf(model: () => unknown): Program["expected"] {
  try {
    return { status: "completed", result: model() };
  } catch (error) {
    return { status: "failed", message: (error as Error).message };
  }
}

class Maker {
  builder: Loose = defineWorkflow("random") as never;
  readonly parts: string[] = [];
  readonly #classes: Map<string, MakeItem> = new Map();
  #seed: number;
  #next = 0;

  constructor(seed: number) {
    this.#seed = (Math.abs(seed) % 2_147_483_646) + 1;
  }

  root(): () => unknown {
    const fan = this.#name("root");
    this.#step(fan, { on: StartEvent, emits: this.#many("In") }, () => this.#makeAll("In", [1, 2]));
    const inner = this.part({ from: "In", to: "Out", depth: 1 + this.#random(3), isSafe: false });
    this.#step(this.#name("all"), { on: this.#collect("Out"), emits: StopEvent }, (all: readonly Item[]) => {
      return new StopEvent({ result: all.map(({ n }) => n) });
    });
    return () => present([1, 2].map(inner));
  }

  part(place: Part): Model {
    const kinds = place.depth === 0 ? [this.#plain] : this.#kinds;
    const make = kinds[this.#random(kinds.length)] as (place: Part) => Model;
    return make.call(this, place);
  }

  get #kinds() {
    return [
      this.#plain,
      this.#row,
      this.#gather,
      this.#gather,
      this.#phases,
      this.#first,
      this.#flat,
      this.#tree,
      this.#pair,
      this.#lists,
    ];
  }

  /** An ordinary step, that sometimes ends its branch, and sometimes fails: then a handler may mend it. */
  #plain({ from, to, isSafe }: Part): Model {
    const name = this.#name("plain");
    const [factor, plus] = [1 + this.#random(3), this.#random(5)];
    const [ends, fails, mends, sleeps] = [this.#oneIn(4), !isSafe && this.#oneIn(6), this.#oneIn(3), this.#oneIn(12)];
    const value: Model = (n) => {
      if (fails && (n + factor) % 4 === 0) throw new Error(FAILED);
      return ends && (n + plus) % 3 === 0 ? null : (n * factor + plus) % LIMIT;
    };
    const pause = this.#pause();
    this.#step(name, { on: this.#class(from), emits: this.#class(to) }, async ({ n }: Item, ctx) => {
      await pause(n);
      if (sleeps) await ctx.sleep(1 + (n % 5));
      return this.#make(to, value(n));
    });
    if (!fails || !mends) return value;
    this.builder = this.builder.catchError(this.#name("mend"), { steps: [name], emits: this.#class(to) }, () =>
      this.#make(to, 7),
    );
    return (n) => {
      try {
        return value(n);
      } catch {
        return 7;
      }
    };
  }

  /** One part after the other. */
  #row({ from, to, depth, isSafe }: Part): Model {
    const middle = this.#name("E");
    const first = this.part({ from, to: middle, depth: depth - 1, isSafe });
    const second = this.part({ from: middle, to, depth: depth - 1, isSafe });
    return (n) => {
      const between = first(n);
      return between === null ? null : second(between);
    };
  }

  /** A fan-out, work on each element, and its batch: all of it, or settled. */
  #gather({ from, to, depth, isSafe }: Part): Model {
    const { opener, done, settles, model } = this.#fan({ from, depth, isSafe });
    const plus = this.#random(5);
    const value = (members: readonly (number | null)[]) =>
      weigh(
        members.map((one) => one ?? 7),
        plus,
      );
    const on = this.#collect(done, { ...(settles && { settle: true }), ...this.#of(opener) });
    this.#step(this.#name("gather"), { on, emits: this.#class(to) }, (all: never) =>
      this.#make(to, value(numbersOf(all))),
    );
    return (n) => value(model(n));
  }

  /** The batch fans out again. */
  #phases({ from, to, depth, isSafe }: Part): Model {
    const { opener, done, settles, model } = this.#fan({ from, depth, isSafe });
    const [again, plus] = [this.#name("E"), this.#random(5)];
    const spread = (members: readonly (number | null)[]) => members.map((one, at) => ((one ?? 7) + at) % LIMIT);
    const on = this.#collect(done, { ...(settles && { settle: true }), ...this.#of(opener) });
    this.#spread(this.#name("again"), { on, element: again }, (all: never) => spread(numbersOf(all)));
    this.#step(this.#name("gather"), { on: this.#collect(again), emits: this.#class(to) }, (all: readonly Item[]) =>
      this.#make(to, weigh(numbersOf(all) as number[], plus)),
    );
    return (n) => weigh(spread(model(n)), plus);
  }

  /** The first of them, in whatever order they come: only how many there are is known. */
  #first({ from, to, depth }: Part): Model {
    const { opener, done, model } = this.#fan({ from, depth, isSafe: true, settles: false });
    const take = 1 + this.#random(3);
    const rest = this.#oneIn(2) ? "cancel" : "finish";
    const on = this.#collect(done, { take, rest, ...this.#of(opener) });
    this.#step(this.#name("first"), { on, emits: this.#class(to) }, (all: readonly Item[]) =>
      this.#make(to, all.length),
    );
    return (n) => Math.min(take, model(n).length);
  }

  /** Two fan-outs, one in the other, in one batch: in the order of both. */
  #flat({ from, to, depth, isSafe }: Part): Model {
    const [outer, element, done, plus] = [this.#name("outer"), this.#name("E"), this.#name("E"), this.#random(5)];
    const spread = this.#sizes();
    this.#spread(outer, { on: this.#class(from), element }, ({ n }: Item) => spread(n));
    const { opener, model, done: inside } = this.#fan({ from: element, depth: 1, isSafe, settles: false, done });
    this.parts.push(`${opener} inside ${outer}`);
    this.#step(
      this.#name("flat"),
      { on: this.#collect(inside, { of: outer }), emits: this.#class(to) },
      (all: readonly Item[]) => this.#make(to, weigh(numbersOf(all) as number[], plus)),
    );
    if (depth === 0) throw new Error("A leaf fans out.");
    return (n) => weigh(present(spread(n).flatMap(model)), plus);
  }

  /** A step that fans out into itself. */
  #tree({ from, to }: Part): Model {
    const [begin, node, leaf, plus] = [this.#name("begin"), this.#name("E"), this.#name("E"), this.#random(5)];
    const levels = 1 + this.#random(2);
    const spread = this.#sizes();
    this.#step(begin, { on: this.#class(from), emits: this.#many(node) }, ({ n }: Item) => [
      this.#make(node, n, levels),
    ]);
    const pause = this.#pause();
    this.#step(
      this.#name("grow"),
      { on: this.#class(node), emits: [this.#many(node), this.#class(leaf)] },
      async ({ n, k }: Item) => {
        await pause(n);
        return k === 0 ? this.#make(leaf, n) : spread(n).map((each) => this.#make(node, each, k - 1));
      },
    );
    this.#step(
      this.#name("leaves"),
      { on: this.#collect(leaf, { of: begin }), emits: this.#class(to) },
      (all: readonly Item[]) => this.#make(to, weigh(numbersOf(all) as number[], plus)),
    );
    const leaves = (n: number, k: number): number[] =>
      k === 0 ? [n] : spread(n).flatMap((each) => leaves(each, k - 1));
    return (n) => weigh(leaves(n, levels), plus);
  }

  /** Two ways, and the pair of what came of them. */
  #pair({ from, to, depth, isSafe }: Part): Model {
    const [left, right, leftEnd, rightEnd] = [this.#name("E"), this.#name("E"), this.#name("E"), this.#name("E")];
    const emits = [this.#class(left), this.#class(right)];
    this.#step(this.#name("fork"), { on: this.#class(from), emits }, ({ n }: Item, ctx) => {
      ctx.sendEvent(this.#make(left, n) as never);
      return this.#make(right, (n + 1) % LIMIT);
    });
    const first = this.part({ from: left, to: leftEnd, depth: depth - 1, isSafe });
    const second = this.part({ from: right, to: rightEnd, depth: depth - 1, isSafe });
    const on = join({ left: this.#class(leftEnd) as never, right: this.#class(rightEnd) as never });
    this.#step(this.#name("pair"), { on, emits: this.#class(to) }, ({ left, right }: { left: Item; right: Item }) =>
      this.#make(to, (left.n + right.n) % LIMIT),
    );
    return (n) => {
      const [one, other] = [first(n), second((n + 1) % LIMIT)];
      return one === null || other === null ? null : (one + other) % LIMIT;
    };
  }

  /** Two lists in each element, paired by a field, and collected. */
  #lists({ from, to }: Part): Model {
    const [element, left, right, pair] = [this.#name("E"), this.#name("E"), this.#name("E"), this.#name("E")];
    const [lefts, rights] = [1 + this.#random(3), 1 + this.#random(3)];
    const spread = this.#sizes();
    this.#step(this.#name("both"), { on: this.#class(from), emits: this.#many(element) }, ({ n }: Item) =>
      spread(n).map((each, at) => this.#make(element, each, at)),
    );
    for (const [type, count] of [
      [left, lefts],
      [right, rights],
    ] as const)
      this.#step(this.#name("list"), { on: this.#class(element), emits: this.#many(type) }, ({ n, k }: Item) =>
        Array.from({ length: count }, (_, at) => this.#make(type, n, k * 10 + at)),
      );
    const on = join({ left: this.#class(left) as never, right: this.#class(right) as never }, { by: "k" as never });
    this.#step(this.#name("pair"), { on, emits: this.#class(pair) }, ({ left, right }: { left: Item; right: Item }) =>
      this.#make(pair, left.k === right.k ? (left.n + right.n) % LIMIT : Number.NaN),
    );
    this.#step(this.#name("pairs"), { on: this.#collect(pair), emits: this.#class(to) }, (all: readonly Item[]) =>
      this.#make(to, numbersOf(all).reduce<number>((sum, one) => sum + (one as number), 0) % LIMIT),
    );
    return (n) => spread(n).reduce((sum, each) => sum + ((each * 2) % LIMIT) * Math.min(lefts, rights), 0) % LIMIT;
  }

  /** A fan-out and work on each element. The model gives the members of its batch. */
  #fan({ from, depth, isSafe, settles = this.#oneIn(3), done = this.#name("E") }: Fan) {
    const [opener, element] = [this.#name("fan"), this.#name("E")];
    const spread = this.#sizes();
    this.#spread(opener, { on: this.#class(from), element }, ({ n }: Item) => spread(n));
    const inner = this.part({ from: element, to: done, depth: depth - 1, isSafe });
    const settled: Model = (n) => {
      try {
        return inner(n);
      } catch {
        return null;
      }
    };
    const model = (n: number) => (settles ? spread(n).map(settled) : present(spread(n).map(inner)));
    return { opener, done, settles, model };
  }

  /** A step that fans out in one of four ways: at once, one by one, by sending, or by both. */
  #spread(
    name: string,
    { on, element }: { readonly on: unknown; readonly element: string },
    values: (input: never) => readonly number[],
  ): void {
    const options = { on, emits: this.#many(element) };
    const pause = this.#pause();
    const make = (all: readonly number[]) => this.#makeAll(element, all);
    const send = (ctx: Context, all: readonly number[], immediate: boolean) => {
      for (const one of make(all)) ctx.sendEvent(one as never, { immediate });
    };
    const ways: readonly Run[] = [
      async (input) => make(values(input)),
      async function* (input) {
        for (const one of make(values(input))) {
          await pause(1);
          yield one;
        }
      },
      async (input, ctx) => {
        send(ctx, values(input), false);
        return [];
      },
      async (input, ctx) => {
        const all = values(input);
        send(ctx, all.slice(0, 1), true);
        await pause(2);
        return make(all.slice(1));
      },
    ];
    this.#step(name, options, ways[this.#random(ways.length)] as Run);
  }

  #sizes(): (n: number) => number[] {
    const [plus, factor] = [this.#random(5), 1 + this.#random(3)];
    return (n) => Array.from({ length: (n + plus) % 4 }, (_, at) => (n + at * factor) % LIMIT);
  }

  /** Lets others go first, a few times. */
  #pause(): (n: number) => Promise<void> {
    const turns = this.#random(4);
    return async (n) => {
      for (let turn = (n + turns) % 4; turn > 0; turn--) await null;
    };
  }

  #step(name: string, options: object, run: Run): void {
    const isBusy = this.#oneIn(3);
    this.builder = this.builder.step(name, { ...options, workers: isBusy ? 1 : 4 }, run);
    this.parts.push(name);
  }

  #collect(type: string, options: object = {}): object {
    return collect(this.#class(type) as never, options);
  }

  /** The same fan-out, named or not. */
  #of(opener: string): object {
    return this.#oneIn(2) ? { of: opener } : {};
  }

  #many(type: string): unknown {
    return many(this.#class(type) as never);
  }

  #class(type: string): unknown {
    let found = this.#classes.get(type);
    if (!found) this.#classes.set(type, (found = event(type, shape) as unknown as MakeItem));
    return found;
  }

  #make(type: string, n: number | null, k = 0): object | null {
    return n === null ? null : new (this.#class(type) as MakeItem)({ n, k });
  }

  #makeAll(type: string, all: readonly number[]): object[] {
    return all.map((n) => this.#make(type, n) as object);
  }

  #name(prefix: string): string {
    return `${prefix}${this.#next++}`;
  }

  #oneIn(count: number): boolean {
    return this.#random(count) === 0;
  }

  #random(below: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % below;
  }
}

interface Part {
  readonly from: string;
  readonly to: string;
  /** How many fan-outs it may have inside each other. */
  readonly depth: number;
  /** It does not throw: what would be called off could have thrown or not. */
  readonly isSafe: boolean;
}

interface Fan extends Omit<Part, "to"> {
  readonly settles?: boolean;
  readonly done?: string;
}

/** So that the order counts. */
function weigh(all: readonly number[], plus: number): number {
  return all.reduce((sum, one, at) => (sum + one * (at + 1)) % LIMIT, plus);
}

function present(all: readonly (number | null)[]): number[] {
  return all.filter((one) => one !== null);
}

/** Of events, or of settled members. */
function numbersOf(all: readonly Partial<Item & { status: string; event: Item }>[]): (number | null)[] {
  return all.map((one) => one.n ?? one.event?.n ?? null);
}
