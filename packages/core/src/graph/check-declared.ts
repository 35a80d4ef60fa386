/**
 * Checks the options of steps and of `many()`. `many()` brings its own check along.
 *
 * @module
 */
import type { Report } from "../engine/finding.types.js";
import type { EventClass } from "../event/event.js";
import { eventTypeOf, isEventClass, roleOf } from "../event/facts.js";
import { formatValue } from "../value/format-value.js";
import { type knownOptions, namesOf } from "../value/known-options.js";
import { unknownNames } from "../value/unknown-names.js";

export function reportUnknown(call: keyof typeof knownOptions, options: object, report: Report): void {
  for (const problem of unknownNames(options, namesOf(call)))
    report("option", `has invalid options of \`${call}\`: ${problem}`, "Correct or remove them.");
}

export function reportCount(options: object, option: string, report: Report): void {
  const count = (options as Readonly<Record<string, number | undefined>>)[option];
  if (count === undefined || (Number.isInteger(count) && count > 0)) return;
  report("option", `has \`${option}: ${formatValue(count)}\``, "Pass an integer of at least 1.");
}

/** Checks the argument of `many()`. */
export function checkMany(emits: unknown, report: Report): void {
  for (const { events } of [emits].flat() as { readonly events?: readonly EventClass[] }[]) {
    if (events?.length === 0)
      report("fanOut", "emits many() of nothing", "Name the event classes of its elements: `many(Chapter)`.");
    for (const element of events ?? []) {
      if (!isEventClass(element) || roleOf(element) !== "stop") continue;
      const type = eventTypeOf(element);
      report("fanOut", `emits many(${type}), which ends the run`, `List ${type} beside many(…), not in it.`);
    }
  }
}
