/**
 * Steps, as methods (`@step({...})`) and as functions (`step({...}, fn)`).
 *
 * @module
 */

import type { Context } from "../authoring/context.types.js";
import type {
  AnyEmission,
  AnyStepOptions,
  Emission,
  Marks,
  Step,
  StepDecorator,
  StepFunction,
  StepOptions,
  SubclassOption,
} from "../authoring/step.types.js";
import type { AnyClasses, AnyTrigger, Delivered, Fitting, Yielded } from "../authoring/trigger.types.js";
import { decorateMethod, makeFreeStep, refuseUncalled } from "../compile/registration.js";
import type { StopEvent } from "../event/built-in-events.js";
import type { TypeHint } from "../event/event.types.js";
import type { Resolved, ResourceMap } from "../resource/resource.types.js";

/**
 * Makes a method of a workflow a step, which runs when an event named in `on` arrives.
 *
 * @example
 * class JokeFlow extends Workflow {
 *   @step({ on: Joke, emits: StopEvent })
 *   async judge(ev: Joke) {
 *     return new StopEvent({ result: ev.text.length });
 *   }
 * }
 * @throws {WorkflowError} `WORKFLOW_INVALID` unless it decorates a public instance method with a name.
 */
export function step<
  const On extends AnyTrigger,
  const Emits extends AnyEmission = never,
  Needs extends ResourceMap = {},
  const Waits extends AnyClasses = never,
  const Streams extends AnyClasses = never,
>(
  options: StepOptions<On, Emits, Needs, Waits, Streams>,
): StepDecorator<Delivered<On>, Emission<Emits>, Resolved<Needs>>;
/** `@step` without a call: the compiler prints the sentence. @internal */
export function step(
  method: StepFunction,
  context: ClassMethodDecoratorContext,
): TypeHint<"Write `@step({ on, emits })`: a step needs its options.">;
/** The same with `experimentalDecorators`. @internal */
export function step(
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor,
): TypeHint<"Write `@step({ on, emits })`: a step needs its options.">;
/**
 * Makes a step of a function, for a field of a workflow or for `defineWorkflow(...).step`.
 *
 * @example
 * const judge = step({ on: Joke, emits: StopEvent }, async (ev) => new StopEvent({ result: ev.text.length }));
 */
export function step<
  const On extends AnyTrigger,
  const Emits extends AnyEmission = never,
  Needs extends ResourceMap = {},
  const Waits extends AnyClasses = never,
  const Subclasses extends boolean = false,
  const Streams extends AnyClasses = never,
  State = unknown,
  Return = unknown,
>(
  options: StepOptions<On, Emits, Needs, Waits, Streams> & SubclassOption<Subclasses>,
  // Keeps the declared events, but the stop event as it is returned: `StopEvent<number>` instead of
  // `StopEvent<unknown>`.
  run: (
    event: Delivered<On>,
    ctx: Context<State>,
    resources: Resolved<Needs>,
  ) => Fitting<Return, Return, Emission<Emits>>,
): Step<Delivered<On>, Exclude<Emission<Emits>, StopEvent> | Extract<Yielded<Return>, StopEvent>, State> &
  Marks<Waits, Subclasses, Streams>;
export function step(options: object, run?: unknown, ..._uncalled: unknown[]): unknown {
  refuseUncalled("step", options, run);
  if (run === undefined) return decorateMethod({ kind: "step", options: options as AnyStepOptions });
  return makeFreeStep(options as AnyStepOptions, run as StepFunction);
}
