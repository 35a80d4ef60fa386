/**
 * Steps, as methods (`@step({...})`) and as functions (`step({...}, fn)`); `collect`, `join`, `many` and `catchError`.
 *
 * @module
 */

import type { Context } from "../authoring/context.types.js";
import type {
  AnyEmission,
  AnyStepOptions,
  CatchErrorOptions,
  Emission,
  EmittableClass,
  Marks,
  Step,
  StepDecorator,
  StepFunction,
  StepOptions,
  SubclassOption,
} from "../authoring/step.types.js";
import type {
  AcceptableClasses,
  AnyClasses,
  AnyTrigger,
  Batch,
  Collect,
  CollectOptions,
  Delivered,
  EventIn,
  Fitting,
  Join,
  JoinedEvents,
  JoinOptions,
  JoinSlots,
  Many,
  Of,
  Yielded,
} from "../authoring/trigger.types.js";
import { decorateMethod, makeFreeStep, refuseUncalled } from "../compile/registration.js";
import type { CollectTrigger, JoinTrigger, Report } from "../engine/definition.js";
import { optionalModules, type TriggersFeature } from "../engine/optional-modules.js";
import { collecting, gathering, joining } from "../engine/reduce/collect.js";
import { fanOutFeature } from "../engine/reduce/fan-out.js";
import { recover } from "../engine/reduce/items.js";
import type { StepFailedEvent, StopEvent } from "../event/built-in-events.js";
import type { EventClass } from "../event/event.js";
import type { StopsAmong, TypeHint } from "../event/event.types.js";
import { fanOutChecks } from "../graph/check-fan-outs.js";
import { checkHandlers, checkMany, reportCount, reportUnknown } from "../graph/validate.js";
import type { Resolved, ResourceMap } from "../resource/resource.js";
import { feeding } from "../run/attempt/generator.js";
import { encodingGathered } from "../snapshot/encode.js";
import { checkOptionNames } from "../value/options.js";

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

// ---- start of a step: one event, any of several, a whole batch (`collect`), or a complete set (`join`)

/**
 * Gathers the whole batch of a fan-out into one call: exactly one each time a step that emits `many(…)` opens the
 * fan-out, also for an empty one.
 *
 * @example
 * @step({ on: collect(Scored), emits: StopEvent })
 * async best(scores: readonly Scored[]) { … }
 */
export function collect<
  const Classes extends AcceptableClasses,
  const Opener extends string = never,
  const Settle extends boolean = false,
>(
  events: Classes,
  options?: CollectOptions & { readonly settle?: Settle; readonly of?: Opener },
): Collect<Batch<EventIn<Classes>, Settle>, EventIn<Classes>> & Of<Opener> {
  registerGathering();
  optionalModules.collect = collecting;
  const made = { kind: "collect", events: [events].flat(), options: options ?? {} };
  return Object.freeze(made) as never;
}

/**
 * Gathers one event for each slot into one call per complete set.
 *
 * @example
 * @step({ on: join({ order: Order, payment: Payment }, { by: "orderId" }), emits: Shipped })
 * async ship({ order, payment }: { order: Order; payment: Payment }) { … }
 */
export function join<const Slots extends JoinSlots>(
  slots: Slots,
  options?: JoinOptions<EventIn<Slots[keyof Slots]>>,
): Join<JoinedEvents<Slots>, EventIn<Slots[keyof Slots]>> {
  if (options !== undefined) checkOptionNames("join", options);
  registerGathering();
  optionalModules.join = joining;
  const made = { kind: "join", slots: { ...slots }, by: options?.by ?? null };
  return Object.freeze(made) as unknown as Join<JoinedEvents<Slots>, EventIn<Slots[keyof Slots]>>;
}

/** Registers the features that both need. */
function registerGathering(): void {
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  optionalModules.fanOutChecks = fanOutChecks;
  optionalModules.triggers = gatheringTriggers;
}

// Parts of `collect()` and `join()` for the steps that they start: checks of their options, and their part of a
// definition.

const gatheringTriggers: TriggersFeature = { check: checkGathering, define: defineGathering };

/** The same, whatever it was given. */
interface Gathered {
  readonly options?: object;
  readonly by?: unknown;
}

/** Checks the options of a trigger. */
function checkGathering({ options, by = null }: Gathered, report: Report): void {
  if (by !== null && !isName(by))
    report(
      "option",
      "joins by something that is not a field name",
      "Use the name of a field that all its events have.",
    );
  if (options === undefined) return;
  const { of, rest = "finish", order = "emitted" } = options as Readonly<Record<string, unknown>>;
  if (of !== undefined && !isName(of))
    report("option", "collects `of` something that is not a name", "Use the name of the step that emits many(…).");
  reportUnknown("collect", options, report);
  reportCount(options, "take", report);
  if (rest !== "finish" && rest !== "cancel")
    report("option", `has \`rest: ${JSON.stringify(rest)}\``, 'Use "finish" or "cancel".');
  if (order !== "emitted" && order !== "arrived")
    report("option", `has \`order: ${JSON.stringify(order)}\``, 'Use "emitted" or "arrived".');
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** @param typesIn Their types; with `subclasses`, those of their subclasses, too. */
function defineGathering(
  on: Collect | Join,
  typesIn: (classes: readonly EventClass[]) => string[],
): CollectTrigger | JoinTrigger {
  if (on.kind === "collect") {
    const { of = null, take = null, rest = "finish", order = "emitted", settle = false } = on.options;
    return { kind: "collect", accepts: typesIn(on.events), of, take, rest, order, settle };
  }
  const slots = Object.entries(on.slots).map(([name, eventClass]) => ({ name, accepts: typesIn([eventClass]) }));
  return { kind: "join", slots, by: on.by };
}

// ---- fan-outs: `emits: many(Chapter)`

/**
 * Declares in `emits` that the step returns an array of these events, or yields them. Each is an element of one
 * fan-out.
 *
 * @example
 * @step({ on: Book, emits: many(Chapter) })
 * split(book: Book) {
 *   return book.pages.map((text) => new Chapter({ text }));
 * }
 */
export function many<const Classes extends readonly [EmittableClass, ...EmittableClass[]]>(
  ...events: Classes
): ManyOf<EventIn<Classes>> {
  optionalModules.fanOuts = fanOutFeature;
  optionalModules.snapshot = encodingGathered;
  optionalModules.elements = feeding;
  optionalModules.many = checkMany;
  return Object.freeze({ kind: "many", events }) as never;
}

/** A stop event cannot be an element, because it ends the run. */
type ManyOf<Element> = [StopsAmong<Element>] extends [never]
  ? Many<Element>
  : TypeHint<"A stop event ends the run: list it beside many(…), not in it.">;

// ---- error handlers: steps that run when another step has used up its retries

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
