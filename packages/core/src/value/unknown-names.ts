import { nearest } from "./nearest.js";

/** The words of a text: names of options in a list that every bundle has. */
export type Words<Text> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** One problem for every unknown option: most are typing errors. @param prefix Stands before the names. */
export function unknownNames(given: object, names: readonly string[], prefix = ""): string[] {
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearest(name, names);
      return `\`${prefix}${name}\` is not an option${near === null ? "" : ` (did you mean \`${near}\`?)`}`;
    });
}
