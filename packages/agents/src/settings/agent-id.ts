/** Converts a name to an id: lower case, with `-` between words. */
export function idOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "-");
}
