/** At most so many of its functions work at the same time; the others begin in their order. */
export class Limit {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((begin) => this.#queue.push(begin));
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
