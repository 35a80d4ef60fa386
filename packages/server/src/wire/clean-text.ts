/**
 * Answers without what is nobody's business outside: stack traces, and paths in the messages of errors.
 *
 * @module
 */

const stackLine = /\n\s+at /;
/** Two parts or more, of either kind of system; not the path of a URL. */
const path = /(?:file:\/\/)?(?<![\w:/.@-])(?:\/[\w.@ -]*[\w.@-](?:\/[\w.@-]+)+|[A-Za-z]:\\[^\s'":,;)]+)/g;

export function withoutPaths(text: string): string {
  return text.replace(path, "<path>");
}

/** JSON text of something that may hold errors that were recorded. */
export function cleanJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Hardly ever there, and walking everything for it would cost each event of each stream.
  return text?.includes('"stack":') ? JSON.stringify(value, withoutStack) : text;
}

/** As a replacer: of an object that looks like a recorded error, the stack goes, and paths in its message. */
function withoutStack(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("stack" in value)) return value;
  const { stack, ...rest } = value as Record<string, unknown>;
  if (typeof stack !== "string" || !stackLine.test(stack)) return value;
  const { message } = rest;
  return typeof message === "string" ? { ...rest, message: withoutPaths(message) } : rest;
}
