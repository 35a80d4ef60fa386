/** A queue with one reader. Items that a slow reader has not taken wait in memory. */
export class EventChannel<Item> {
  readonly #waiting: Item[] = [];
  #closed = false;
  #wake: () => void = () => {};

  push(item: Item): void {
    this.#waiting.push(item);
    this.#wake();
  }

  /** Ends the channel; items pushed before are still read. */
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
