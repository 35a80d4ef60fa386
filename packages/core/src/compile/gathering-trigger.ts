/**
 * Parts of `collect()` and `join()` for the steps that they start: checks of their options, and their part of a
 * definition.
 *
 * @module
 */

import type { CollectTrigger, JoinTrigger } from "../engine/definition.js";
import type { Report } from "../engine/finding.types.js";
import type { EventClass } from "../event/event.js";
import { reportCount, reportUnknown } from "../graph/check-declared.js";

/** Result of `collect()` or `join()`. */
export type GatheringTrigger =
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

export const gatheringTriggers: {
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
