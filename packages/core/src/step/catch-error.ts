/**
 * Error handlers: steps that are called when another step has used up its retries.
 *
 * @module
 */

import { features } from "../engine/features.js";
import type { StepFailedEvent } from "../event/built-in-events.js";
import { handling } from "../graph/check-handlers.js";
import { decorateMethod, refuseUncalled } from "./registration.js";
import type { CatchErrorOptions, Emission, EmittableClasses, StepDecorator } from "./step.types.js";

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
  features.handlers = handling;
  refuseUncalled("catchError", options);
  return decorateMethod({ kind: "failure", options });
}
