import type { Context, EffectCall } from "millrace";

/** The durable calls of one step, with keys of their own: `scope.scope("m0.c1")` is a scope below. */
export class CallScope {
  readonly ctx: Context;
  readonly #path: string;

  constructor(ctx: Context, path: string) {
    this.ctx = ctx;
    this.#path = path;
  }

  scope(name: string): CallScope {
    return new CallScope(this.ctx, `${this.#path}${name}/`);
  }

  /** The key of a call of this scope among all calls of the step. */
  key(name: string): string {
    return this.#path + name;
  }

  run<Result>(name: string, effect: (call: EffectCall) => Result | Promise<Result>): Promise<Result> {
    return this.ctx.run(this.key(name), effect);
  }
}
