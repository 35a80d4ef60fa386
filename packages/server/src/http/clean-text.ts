/**
 * Removes stack traces from errors. Everything that leaves the process passes here: responses, streams, history, snapshots,
 * results, tools.
 *
 * Only texts of errors change. Each pattern reads a text once, so that the cost is proportional to its length
 * (`linear-patterns.long.test.ts` of the core).
 *
 * @module
 */

/** JSON text of a value that may contain errors. */
export function cleanJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Errors are rare, and walking every value would cost time for each event of each stream.
  return text !== undefined && mayHoldError.test(text) ? withCleanErrors(value) : text;
}

const mayHoldError = /"(?:message|stack|cause)":|"(?:error|errors|lastError)":(?!null)/;
/** Everything under these keys belongs to an error: a text or a thrown value of any shape. */
const errorKeys: ReadonlySet<string> = new Set(["error", "errors", "lastError", "cause"]);

function withCleanErrors(value: unknown): string {
  const cleaned = new WeakSet<object>();
  return JSON.stringify(value, function (this: object, key: string, inner: unknown) {
    if (cleaned.has(this) || !(errorKeys.has(key) || isError(inner))) return inner;
    return cleanDeep(inner, cleaned);
  });
}

/** Recognizes a recorded error, or a copy of one. */
function isError(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, message, stack } = value as Readonly<Record<string, unknown>>;
  if (typeof stack === "string" && stackLine.test(stack)) return true;
  if (typeof message !== "string") return false;
  return typeof stack === "string" || (typeof name === "string" && /^Thrown$|(?:Error|Exception)$/.test(name));
}

/** Cleans all texts of an error, because its cause and details quote other errors. */
function cleanDeep(value: unknown, cleaned: WeakSet<object>): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return cleanDeep(value.toJSON(), cleaned);
  const copy = Array.isArray(value)
    ? value.map((item) => cleanDeep(item, cleaned))
    : Object.fromEntries(
        Object.entries(value)
          .filter(([key]) => key !== "stack")
          .map(([key, inner]) => [key, cleanDeep(inner, cleaned)]),
      );
  cleaned.add(copy);
  return copy;
}

// ---- one text

/** Characters of the text of an error that leave; the core stores as many. */
const mostCharacters = 100_000;

/** Cuts the text of an error, and removes stack traces from it. */
export function cleanError(text: string): string {
  return cleanText(shortText(text, mostCharacters));
}

export function shortText(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}

/** Removes stack traces from the text of an error. */
export function cleanText(text: string): string {
  // Most texts hold none, which a search for a fixed text finds out many times faster.
  return text.includes("at ") ? text.replace(stackLines, "") : text;
}

const stackLine = /\n[ \t]+at /;
/** Also matches a thrown object that was converted to text, with its line breaks as `\n`. */
const stackLines = /(?:\r?\n|\\n)[ \t]+at (?:(?!\\n)[^\r\n"])*/g;
