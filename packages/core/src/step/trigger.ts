/**
 * What starts a step: one event, any of several, a whole batch (`collect`), or a complete set (`join`).
 *
 * @module
 */
import type {
  AcceptableClasses,
  Batch,
  Collect,
  CollectOptions,
  EventIn,
  Join,
  JoinedEvents,
  JoinOptions,
  JoinSlots,
  Of,
} from "../authoring/trigger.types.js";
import { gatheringTriggers } from "../compile/gathering-trigger.js";
import { optionalModules } from "../engine/optional-modules.js";
import { collecting } from "../engine/reduce/collect.js";
import { gathering } from "../engine/reduce/gathered.js";
import { joining } from "../engine/reduce/join.js";
import { fanOutChecks } from "../graph/check-fan-outs.js";
import { encodingGathered } from "../snapshot/encode-gathered.js";
import { checkOptions } from "../value/known-options.js";

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
  if (options !== undefined) checkOptions("join", options);
  registerGathering();
  optionalModules.join = joining;
  const made = { kind: "join", slots: { ...slots }, by: options?.by ?? null };
  return Object.freeze(made) as unknown as Join<JoinedEvents<Slots>, EventIn<Slots[keyof Slots]>>;
}

/** What both need. */
function registerGathering(): void {
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  optionalModules.fanOutChecks = fanOutChecks;
  optionalModules.triggers = gatheringTriggers;
}
