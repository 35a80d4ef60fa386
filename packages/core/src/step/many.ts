/**
 * Declares fan-outs: `emits: many(Chapter)`.
 *
 * @module
 */

import type { EmittableClass } from "../authoring/step.types.js";
import type { Many } from "../authoring/step-return.types.js";
import type { EventIn } from "../authoring/trigger.types.js";
import { optionalModules } from "../engine/optional-modules.js";
import { fanOutFeature } from "../engine/reduce/elements.js";
import type { StopsAmong } from "../event/event.types.js";
import type { TypeHint } from "../event/type-hint.js";
import { checkMany } from "../graph/check-declared.js";
import { feeding } from "../run/attempt/generator.js";
import { encodingGathered } from "../snapshot/encode-gathered.js";

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
