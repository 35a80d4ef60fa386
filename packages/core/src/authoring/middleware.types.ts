import type { Context } from "./context.types.js";

/** One attempt of a step, for middleware. */
export interface StepCall {
  readonly workflow: string;
  readonly runId: string;
  readonly step: string;
  /** Id of the work item: one delivery of one event, batch or set to one step. */
  readonly item: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Input of the step: an event, a batch, or a set. */
  readonly event: unknown;
  readonly ctx: Context;
}

/** The property does not exist at runtime. @internal */
export declare const stepOutput: unique symbol;
/** Output of a step, for middleware to return. The result of the outermost middleware counts. */
export interface StepOutput {
  readonly [stepOutput]: unknown;
}

/**
 * Wraps every attempt of every step. `next` runs the attempt, with the middleware added later, and rejects when it
 * fails. Call it at most once: a second call is refused with `CALL_INVALID`, and the attempt fails.
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
