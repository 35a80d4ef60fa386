/**
 * The promise of a call, which records whether its outcome is awaited.
 *
 * After a forgotten `await`, it is not.
 */
export class CallPromise<Value> extends Promise<Value> {
  /** `true`: it was awaited, or given to `then`, `catch`, `finally` or a combinator such as `Promise.all`. */
  isTaken = false;

  /** Marks its rejection as handled, without taking it. */
  markHandled(): this {
    void this.settled();
    return this;
  }

  /** Resolves when it is settled, without taking it. */
  settled(): Promise<unknown> {
    const { isTaken } = this;
    const settled = this.catch(ignore);
    this.isTaken = isTaken;
    return settled;
  }
}

// Whoever takes a promise looks at its constructor, `await` too, which never calls an overridden `then`; and finds the usual
// one, so that awaiting costs as much as ever.
Object.defineProperty(CallPromise.prototype, "constructor", {
  get(this: CallPromise<unknown>) {
    this.isTaken = true;
    return Promise;
  },
});

function ignore(): void {}

/** A call that has failed. */
export interface FailedCall {
  readonly call: CallPromise<unknown>;
  readonly error: unknown;
}
