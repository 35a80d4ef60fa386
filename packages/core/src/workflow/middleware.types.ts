import type { Context } from "../context/context.types.js";

/** One attempt of a step, as middleware sees it. */
export interface StepCall {
  readonly workflow: string;
  readonly runId: string;
  readonly step: string;
  /** The work item: one delivery of one event, batch or set to one step. */
  readonly item: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** What the step gets: an event, a batch, or a set. */
  readonly event: unknown;
  readonly ctx: Context;
}

/** No such property at runtime. @internal */
export declare const stepOutput: unique symbol;
/** What a step gave back. Hand it on: what the outermost middleware returns is what counts. */
export interface StepOutput {
  readonly [stepOutput]: unknown;
}

/**
 * Wraps every attempt of every step. `next` runs the attempt, with the middleware added later, and rejects when it fails.
 * It may be called once: a second call is refused with `NEXT_REUSED`, and the attempt fails.
 *
 * @example
 * workflow.use(async (call, next) => {
 *   const startedAt = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     report(call.step, performance.now() - startedAt);
 *   }
 * });
 */
export type Middleware = (call: StepCall, next: () => Promise<StepOutput>) => Promise<StepOutput>;
