/**
 * Checks what `collect()`, `join()` and `many()` were given, which are bundled with these checks.
 *
 * @module
 */
import type { EventClass } from "../event/event.js";
import { eventTypeOf, isEventClass, roleOf } from "../event/facts.js";
import { type knownOptions, namesOf } from "../value/known-options.js";
import { unknownNames } from "../value/unknown-options.js";

/** Reports a problem of a step. @param message To be read after the name of the step. */
export type Report = (check: string, message: string, hint: string) => void;

export function reportUnknown(call: keyof typeof knownOptions, options: object, report: Report): void {
  for (const problem of unknownNames(options, namesOf(call)))
    report("option", `has options of \`${call}\` that nobody reads: ${problem}`, "Correct or remove them.");
}

export function reportCount(options: object, option: string, report: Report): void {
  const count = (options as Readonly<Record<string, number | undefined>>)[option];
  if (count === undefined || (Number.isInteger(count) && count > 0)) return;
  report("option", `has \`${option}: ${String(count)}\``, "Give an integer of at least 1.");
}

/** Result of `collect()` or `join()`, whatever it was given. */
export interface Gathered {
  readonly kind: string;
  readonly options?: object;
  readonly by?: unknown;
}

/** Checks the options of a trigger. */
export function checkGathering({ options, by = null }: Gathered, report: Report): void {
  if (by !== null && !isName(by))
    report("option", "joins by something that is no field name", "Give the name of a field that all its events have.");
  if (options === undefined) return;
  const { of, rest = "finish", order = "emitted" } = options as Readonly<Record<string, unknown>>;
  if (of !== undefined && !isName(of))
    report("option", "collects `of` something that is not a name", "Give the name of the step that emits many(…).");
  reportUnknown("collect", options, report);
  reportCount(options, "take", report);
  if (rest !== "finish" && rest !== "cancel")
    report("option", `has \`rest: ${JSON.stringify(rest)}\``, 'Give "finish" or "cancel".');
  if (order !== "emitted" && order !== "arrived")
    report("option", `has \`order: ${JSON.stringify(order)}\``, 'Give "emitted" or "arrived".');
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Checks what a step names in `many()`, whatever that is. */
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
