import { nearest } from "./nearest.js";

/** The names of all options of a type: a record, so that none is forgotten. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true };

/** One problem for every option that nobody reads: most are slips of the pen. */
export function unknownOptions<Options>(given: object, known: OptionNames<Options>): string[] {
  const names = Object.keys(known);
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => {
      const near = nearest(name, names);
      return `\`${name}\` is no option${near === null ? "" : ` (did you mean \`${near}\`?)`}`;
    });
}
