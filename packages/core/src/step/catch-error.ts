/**
 * Error handlers: steps that are called when another step has used up its retries.
 *
 * @module
 */
import type { StepFailedEvent } from "../event/built-in-events.js";
import { decorateMethod, refuseUncalled } from "./registration.js";
import type { Emission, EmittableClasses, StepDecorator, StepSettings } from "./step.js";

export interface CatchErrorOptions<Emits extends EmittableClasses>
  extends Pick<StepSettings, "name" | "timeout" | "waits" | "streams"> {
  /** Names of the steps it covers. @default every step no other handler covers */
  readonly steps?: readonly string[];
  /** How often in one lineage of events; after that the run fails with the original error. Integer, at least 1. @default 1 */
  readonly maxRecoveries?: number;
  /** Everything it returns, yields or sends. */
  readonly emits?: Emits;
}

/**
 * Decorates the method that is called when a step has used up its retries.
 *
 * @example
 * @catchError({ steps: ["write"], emits: Joke })
 * async recover(ev: StepFailedEvent) { return new Joke({ text: "nothing came to mind" }); }
 * @throws {WorkflowError} `STEP_PLACEMENT` on anything but a public instance method with a name.
 */
export function catchError<const Emits extends EmittableClasses = never>(
  options: CatchErrorOptions<Emits> = {},
): StepDecorator<StepFailedEvent, Emission<Emits>, {}> {
  refuseUncalled("catchError", options);
  return decorateMethod({ kind: "failure", options });
}
