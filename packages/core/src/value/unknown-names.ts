/** Finds unknown names of options. Without the error class, so that pages can check options, too. */
import { nearest } from "./nearest.js";

/** The words of a text: names of options in a list that every bundle has. */
export type Words<Text> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** One problem for every unknown option. @param prefix Stands before the names. */
export function unknownNames(given: object, names: readonly string[], prefix = ""): string[] {
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => `\`${prefix}${name}\` is not an option${didYouMean(name, names)}`);
}

/** Follows an unknown name; empty if none is near. */
export function didYouMean(name: unknown, names: readonly string[], mark: '"' | "`" = "`"): string {
  const near = nearest(name as string, names);
  return near === null ? "" : ` (did you mean ${mark}${near}${mark}?)`;
}
