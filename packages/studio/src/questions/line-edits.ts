/** The difference of two texts, line by line. */
export interface LineEdit {
  readonly kind: "same" | "added" | "removed";
  readonly line: string;
}

/** Above this many pairs of lines, the middle is shown as removed and added. */
const MOST_PAIRS = 1_000_000;

/** The longest common lines stay. */
export function lineEdits(before: string, after: string): LineEdit[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const of = (kind: LineEdit["kind"], lines: readonly string[]): LineEdit[] => lines.map((line) => ({ kind, line }));
  const [middleA, middleB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const middle =
    middleA.length * middleB.length > MOST_PAIRS
      ? [...of("removed", middleA), ...of("added", middleB)]
      : common(middleA, middleB);
  return [...of("same", a.slice(0, start)), ...middle, ...of("same", a.slice(a.length - end))];
}

function common(a: readonly string[], b: readonly string[]): LineEdit[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (x: number, y: number): number => lengths[x * width + y] ?? 0;
  for (let x = a.length - 1; x >= 0; x--)
    for (let y = b.length - 1; y >= 0; y--)
      lengths[x * width + y] = a[x] === b[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
  const edits: LineEdit[] = [];
  let [x, y] = [0, 0];
  while (x < a.length || y < b.length) {
    if (x < a.length && y < b.length && a[x] === b[y]) {
      edits.push({ kind: "same", line: a[x] as string });
      x++;
      y++;
    } else if (x < a.length && (y === b.length || at(x + 1, y) >= at(x, y + 1)))
      edits.push({ kind: "removed", line: a[x++] as string });
    else edits.push({ kind: "added", line: b[y++] as string });
  }
  return edits;
}
