/** The line of the first decorator directly above, or the line itself, judged by the indentation. Lines count from 0. */
export function decoratedLine(lines: readonly string[], first: number): number {
  const indent = indentOf(lines[first] ?? "");
  let begin = first;
  for (let index = first - 1; index >= 0; index -= 1) {
    const line = lines[index] as string;
    const isDecorator = indentOf(line) === indent && line.startsWith("@", indent);
    const isInside = indentOf(line) > indent || /^[)\]}]*\)/.test(line.slice(indent));
    if (isDecorator) begin = index;
    else if (line.trim() === "" || !isInside) break;
  }
  return begin;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
