/** Hands what is pushed to one reader, in order. A slow reader keeps the rest waiting in memory. */
export class EventChannel<Item> {
  readonly #waiting: Item[] = [];
  #closed = false;
  #wake: () => void = () => {};

  push(item: Item): void {
    this.#waiting.push(item);
    this.#wake();
  }

  /** What was pushed before is still read. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Item, void, undefined> {
    while (true) {
      const item = this.#waiting.shift();
      if (item !== undefined) yield item;
      else if (this.#closed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
