/** The property does not exist at runtime. @internal */
export declare const finishedOutput: unique symbol;

/**
 * Result of `ctx.finish`, which the step returns as its only output, or of `call.finish`, which the function of `ctx.run` returns.
 * `Output` is what the callback returned.
 */
export interface Finished<out Output = unknown> {
  readonly [finishedOutput]: Output;
}
