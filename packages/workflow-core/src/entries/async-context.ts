/** A value for everything that a function calls, also later. */

interface Storage<Value> {
  getStore(): Value | undefined;
  run<Result>(value: Value, callback: () => Result): Result;
}

class AsyncVariable<T> {
  readonly #storage: Storage<T> = createStorage<T>();

  /** The value of the innermost `run` around the caller; `undefined` outside of all. */
  get(): T | undefined {
    return this.#storage.getStore();
  }

  /** Calls a function that sees this value, also after an `await`; in browsers, which lack the means, only before it. */
  run<R>(value: T, fn: () => R): R {
    return this.#storage.run(value, fn);
  }
}

export const AsyncContext: { readonly Variable: typeof AsyncVariable } = { Variable: AsyncVariable };

function createStorage<Value>(): Storage<Value> {
  const builtin = globalThis.process?.getBuiltinModule?.("node:async_hooks");
  return builtin ? new builtin.AsyncLocalStorage<Value>() : new CallStackStorage<Value>();
}

class CallStackStorage<Value> implements Storage<Value> {
  #current: Value | undefined;

  getStore(): Value | undefined {
    return this.#current;
  }

  run<Result>(value: Value, callback: () => Result): Result {
    const outer = this.#current;
    this.#current = value;
    try {
      return callback();
    } finally {
      this.#current = outer;
    }
  }
}
