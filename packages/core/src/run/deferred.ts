/** A promise with its handles outside. Marked as handled: a rejection that nobody awaits is no crash. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export function createDeferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise: markHandled(promise), resolve, reject };
}

export function markHandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore);
  return promise;
}

/** Whoever awaits the promise still gets the rejection. */
function ignore(): void {}
