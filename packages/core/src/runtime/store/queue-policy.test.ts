import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choosePlaces, freePlaces, mayStart, nextPlaceAtMs, type QueueWindow } from "./queue-policy.js";
import type { QueueLimits } from "./run-store.types.js";

interface Run {
  readonly id: string;
  readonly queuedAtMs: number;
  readonly hadPlace: boolean;
}

const unlimited: QueueLimits = { name: "llm", concurrency: null, perKey: null, rate: null };

/** A queue whose rows are read in windows of some size, as the stores do. */
class Queue {
  readonly #limits: QueueLimits;
  readonly #lines: Map<string, Run[]>;
  readonly #held = new Map<string, number>();
  #starts = 0;

  constructor(limits: QueueLimits, lines: ReadonlyMap<string, readonly Run[]>) {
    this.#limits = limits;
    this.#lines = new Map([...lines].map(([key, runs]) => [key, [...runs]]));
  }

  /** @param size The most keys, and the most runs of a key, that are read at a time. */
  claim(limit: number, size: number): string[] {
    const taken: string[] = [];
    for (let isDone = false; !isDone; ) {
      const held = [...this.#held.values()].reduce((sum, count) => sum + count, 0);
      const window: QueueWindow<Run> = { held, starts: this.#starts, ...this.#read(size) };
      const chosen = choosePlaces(this.#limits, window, limit - taken.length);
      taken.push(...chosen.runs.map(({ id }) => id));
      for (const run of chosen.runs) this.#take(run);
      for (const key of chosen.served) this.#toTheEnd(key);
      ({ isDone } = chosen);
    }
    return taken;
  }

  #read(size: number) {
    const isAgain = !mayStart(this.#limits, this.#starts);
    const { perKey } = this.#limits;
    const all = [...this.#lines].flatMap(([key, line]) => {
      const runs = line.filter(({ hadPlace }) => hadPlace || !isAgain);
      const held = this.#held.get(key) ?? 0;
      const isLeftOut = runs.length === 0 || (perKey !== null && held >= perKey);
      return isLeftOut ? [] : [{ key, held, runs: runs.slice(0, size), isWhole: runs.length < size }];
    });
    return { lines: all.slice(0, size), isWhole: all.length < size };
  }

  #take(run: Run): void {
    const [key, line] = [...this.#lines].find(([, runs]) => runs.includes(run)) as [string, Run[]];
    line.splice(line.indexOf(run), 1);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    if (!run.hadPlace) this.#starts++;
  }

  #toTheEnd(key: string): void {
    const line = this.#lines.get(key) as Run[];
    this.#lines.delete(key);
    this.#lines.set(key, line);
  }
}

const lines = fc
  .array(fc.array(fc.boolean(), { maxLength: 9 }), { maxLength: 6 })
  .map(
    (keys) => new Map(keys.map((runs, key) => [`${key}`, runs.map((hadPlace, at) => runOf(`${key}.${at}`, hadPlace))])),
  );
const limits = fc.record({
  name: fc.constant("llm"),
  concurrency: fc.constantFrom(null, 0, 1, 4, 9),
  perKey: fc.constantFrom(null, 1, 2, 5),
  rate: fc.constantFrom(null, { limit: 1, perMs: 10 }, { limit: 5, perMs: 10 }),
});

function runOf(id: string, hadPlace: boolean): Run {
  return { id, queuedAtMs: 0, hadPlace };
}

describe("choosePlaces", () => {
  it("chooses the same whatever part of the rows is read at a time", () => {
    fc.assert(
      fc.property(limits, lines, fc.nat({ max: 12 }), fc.integer({ min: 1, max: 9 }), (given, of, limit, size) => {
        expect(new Queue(given, of).claim(limit, size)).toEqual(new Queue(given, of).claim(limit, 1_000));
      }),
    );
  });

  it("chooses one run of each key in turn, and then the next of each", () => {
    const runs = (...ids: string[]) => ids.map((id) => runOf(id, false));
    const of = new Map([
      ["a", runs("a0", "a1", "a2")],
      ["b", runs("b0")],
      ["c", runs("c0", "c1")],
    ]);

    expect(new Queue(unlimited, of).claim(9, 1_000)).toEqual(["a0", "b0", "c0", "a1", "c1", "a2"]);
    expect(new Queue({ ...unlimited, perKey: 1 }, of).claim(9, 1_000)).toEqual(["a0", "b0", "c0"]);
    expect(new Queue({ ...unlimited, concurrency: 2 }, of).claim(9, 1_000)).toEqual(["a0", "b0"]);
  });

  it("passes over runs without a place where the rate is used up", () => {
    const of = new Map([["a", [runOf("new", false), runOf("newer", false), runOf("again", true)]]]);

    expect(new Queue({ ...unlimited, rate: { limit: 1, perMs: 10 } }, of).claim(9, 1_000)).toEqual(["new", "again"]);
  });
});

describe("nextPlaceAtMs", () => {
  const outlook = { held: 0, laterAtMs: null, firstAtMs: null, againAtMs: null, opensAtMs: null };

  it("is the earliest time of a run that could get a place", () => {
    expect(nextPlaceAtMs(unlimited, outlook)).toBeNull();
    expect(nextPlaceAtMs(unlimited, { ...outlook, laterAtMs: 9, firstAtMs: 5 })).toBe(5);
    expect(nextPlaceAtMs(unlimited, { ...outlook, firstAtMs: 5, opensAtMs: 20, againAtMs: 30 })).toBe(20);
    expect(nextPlaceAtMs({ ...unlimited, concurrency: 1 }, { ...outlook, held: 1, laterAtMs: 9 })).toBeNull();
  });
});

it("no place is free beyond the limit of a queue, also where more are held", () => {
  expect(freePlaces({ ...unlimited, concurrency: 3 }, 5, 9)).toBe(0);
  expect(freePlaces({ ...unlimited, concurrency: 3 }, 1, 9)).toBe(2);
  expect(freePlaces(unlimited, 5, 9)).toBe(9);
});
