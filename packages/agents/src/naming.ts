/** Lower case, with `-` between words. */
export function idOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "-");
}
