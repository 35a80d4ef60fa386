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
import type { CollectTrigger, JoinTrigger } from "../engine/definition.js";
import type { Report } from "../engine/finding.types.js";
import { optionalModules } from "../engine/optional-modules.js";
import { collecting } from "../engine/reduce/collect.js";
import { gathering } from "../engine/reduce/gathered.js";
import { joining } from "../engine/reduce/join.js";
import type { EventClass } from "../event/event.js";
import { reportCount, reportUnknown } from "../graph/check-declared.js";
import { fanOutChecks } from "../graph/check-fan-outs.js";
import { encodingGathered } from "../snapshot/encode-gathered.js";
import { checkOptionNames } from "../value/known-options.js";

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

/** What both need. */
function registerGathering(): void {
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  optionalModules.fanOutChecks = fanOutChecks;
  optionalModules.triggers = gatheringTriggers;
}

// Parts of `collect()` and `join()` for the steps that they start: checks of their options, and their part of a
// definition.

/** Result of `collect()` or `join()`. */
type GatheringTrigger =
  | {
      readonly kind: "collect";
      readonly events: readonly EventClass[];
      readonly options: Partial<Omit<CollectTrigger, "kind" | "accepts">>;
    }
  | {
      readonly kind: "join";
      readonly slots: Readonly<Record<string, EventClass>>;
      readonly by: string | null;
    };

const gatheringTriggers: {
  readonly check: typeof checkGathering;
  readonly define: typeof defineGathering;
} = { check: checkGathering, define: defineGathering };

/** The same, whatever it was given. */
interface Gathered {
  readonly kind: string;
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
  on: GatheringTrigger,
  typesIn: (classes: readonly EventClass[]) => string[],
): CollectTrigger | JoinTrigger {
  if (on.kind === "collect") {
    const { of = null, take = null, rest = "finish", order = "emitted", settle = false } = on.options;
    return { kind: "collect", accepts: typesIn(on.events), of, take, rest, order, settle };
  }
  const slots = Object.entries(on.slots).map(([name, eventClass]) => ({ name, accepts: typesIn([eventClass]) }));
  return { kind: "join", slots, by: on.by };
}
