/** What the tests of calls with policies share. */
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  type EffectCall,
  event,
  type RetryPolicy,
  retryPolicy,
  StartEvent,
  type StepSettings,
  StopEvent,
  stop,
  type WorkflowOptions,
  wait,
} from "../../src/index.js";

export class Item extends event("Item", { n: z.number() }) {}

type Work = (ctx: Context) => Promise<unknown>;
interface Built extends Pick<WorkflowOptions, "limits" | "maxConcurrentRuns"> {
  readonly step?: Partial<StepSettings>;
}

/** One step that does something, and ends its run with the result. */
export function flowOf(work: Work, { step, ...options }: Built = {}) {
  return defineWorkflow("calls", { state: { edits: z.number().default(0) } })
    .step("work", { on: StartEvent, emits: StopEvent, ...step }, async (_start, ctx) => {
      return new StopEvent({ result: await work(ctx as never) });
    })
    .build(options);
}

export const inMinutes = (attempts: number): RetryPolicy =>
  retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(attempts) });

/** Fails as often as it is told, and then answers with the number of its attempt. */
export function failing(times: number, seen: number[] = []) {
  return ({ attempt }: EffectCall) => {
    seen.push(attempt);
    if (attempt <= times) throw new Error(`attempt ${attempt} fails`);
    return attempt;
  };
}
