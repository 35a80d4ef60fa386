/** A promise with its resolvers. A rejection that is not awaited does not end the process. */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve!: (value: Value) => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Marked only now, because the mark of a long-lived promise takes memory, and most are never rejected. */
  reject(error: unknown): void {
    markHandled(this.promise);
    this.#reject(error);
  }
}

export function markHandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore);
  return promise;
}

/** Whoever awaits the promise still gets the rejection. */
function ignore(): void {}
