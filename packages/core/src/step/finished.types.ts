/** No such property at runtime. @internal */
export declare const finishedOutput: unique symbol;

/** What `ctx.finish` gives: the step returns it, alone. `Output` is what its callback gave. */
export interface Finished<out Output = unknown> {
  readonly [finishedOutput]: Output;
}
