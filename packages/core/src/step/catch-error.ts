/**
 * Error handlers: steps that run when another step has used up its retries.
 *
 * @module
 */

import type { AnyEmission, CatchErrorOptions, Emission, StepDecorator } from "../authoring/step.types.js";
import type { AnyClasses } from "../authoring/trigger.types.js";
import { decorateMethod, refuseUncalled } from "../compile/registration.js";
import { optionalModules } from "../engine/optional-modules.js";
import { recover } from "../engine/reduce/recovery.js";
import type { StepFailedEvent } from "../event/built-in-events.js";
import { checkHandlers } from "../graph/check-handlers.js";

/**
 * Decorates a method that runs when a step has used up its retries.
 *
 * @example
 * @catchError({ steps: ["write"], emits: Joke })
 * async recover(ev: StepFailedEvent) {
 *   return new Joke({ text: "nothing came to mind" });
 * }
 * @throws {WorkflowError} `WORKFLOW_INVALID` unless it decorates a public instance method with a name.
 */
export function catchError<
  const Emits extends AnyEmission = never,
  const Waits extends AnyClasses = never,
  const Streams extends AnyClasses = never,
>(options: CatchErrorOptions<Emits, Waits, Streams> = {}): StepDecorator<StepFailedEvent, Emission<Emits>, {}> {
  optionalModules.handlers = checkHandlers;
  optionalModules.recovery = recover;
  refuseUncalled("catchError", options);
  return decorateMethod({ kind: "failure", options: options as object });
}
