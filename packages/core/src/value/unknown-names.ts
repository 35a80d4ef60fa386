/** Finds unknown names of options. Without the error class, so that pages can check options, too. */

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

/** The candidate for which `name` is most likely a typing error; `null` when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  if (typeof name !== "string") return null;
  let best: string | null = null;
  let bestDistance = Math.max(2, name.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= Math.min(name.length, candidate.length)) continue; // they share no letter: any name would be as near
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Number of letters to add, drop or change (Levenshtein). */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[right.length] as number;
}
