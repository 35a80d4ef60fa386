/** Copies of what JSON has no form for. */
import { errorFrom, recordError } from "./error-record.js";
import { views } from "./forms.js";
import { isOfClass, kindOf } from "./kind.js";
import { isPlainObject } from "./plain.js";

/** A copy, of this realm; `undefined` for an array, a plain object, or a value that cannot be copied. */
export function copyRich(value: object, copyPart: (part: unknown) => unknown): object | undefined {
  if (Array.isArray(value) || isPlainObject(value)) return undefined;
  switch (kindOf(value)) {
    case "Date":
      return new Date(value as Date);
    case "URL":
      return new URL((value as URL).href);
    case "Map":
      return new Map(Array.from(value as Map<unknown, unknown>, ([key, part]) => [copyPart(key), copyPart(part)]));
    case "Set":
      return new Set(Array.from(value as Set<unknown>, copyPart));
    case "View":
      return copyView(value as ArrayBufferView);
    case "Error":
      return errorFrom(recordError(value));
    default:
      return undefined;
  }
}

/** The class of a typed array; `undefined` for one of a class that extends it. */
export function viewOf(value: object): (typeof views)[number] | undefined {
  return views.find((view) => isOfClass(value, view));
}

function copyView(view: ArrayBufferView): ArrayBufferView | undefined {
  const View = viewOf(view) as unknown as Uint8ArrayConstructor | undefined;
  return View && new View(view as Uint8Array);
}
