/**
 * What a call of a step gives: a promise that knows whether anybody has asked for its outcome.
 *
 * A forgotten `await` is a promise that nobody has taken.
 */
export class CallPromise<Value> extends Promise<Value> {
  /** It was awaited, or given to `then`, `catch`, `finally` or a combinator such as `Promise.all`. */
  isTaken = false;

  /** Nobody has to handle how it ends; that takes nothing. */
  markHandled(): this {
    const { isTaken } = this;
    this.catch(ignore);
    this.isTaken = isTaken;
    return this;
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
