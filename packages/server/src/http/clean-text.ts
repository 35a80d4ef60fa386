/**
 * Removes what only the operator should see from the texts of errors: stack traces, and the folders of this process.
 * Everything that leaves the process passes here: responses, streams, history, snapshots, results, tools.
 *
 * Only texts of errors change, and only what is known exactly: nothing here guesses what a path looks like. Each pattern
 * reads a text once, so that the cost is proportional to its length (`linear-patterns.long.test.ts` of the core).
 *
 * @module
 */
import { processFolders } from "../system.js";

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

/** Removes stack traces, and replaces the folders of this process by `<path>`. A longer text is cut first. */
export function cleanError(text: string): string {
  return cleanText(shortText(text, mostCharacters));
}

export function shortText(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}

/** Removes stack traces, and replaces the folders of this process by `<path>`. */
export function cleanText(text: string): string {
  ownFolders ??= patternOf(folderForms());
  const { forms, pattern } = ownFolders;
  // Most texts hold neither, which a search for fixed texts finds out many times faster.
  const shown = text.includes("at ") ? text.replace(stackLines, "") : text;
  return forms.some((form) => shown.includes(form)) ? shown.replace(pattern, "<path>") : shown;
}

const stackLine = /\n[ \t]+at /;
/** Also matches a thrown object that was converted to text, with its line breaks as `\n`. */
const stackLines = /(?:\r?\n|\\n)[ \t]+at (?:(?!\\n)[^\r\n"])*/g;

interface OwnFolders {
  readonly forms: readonly string[];
  /** Matches a folder of this process where a path begins. */
  readonly pattern: RegExp;
}

let ownFolders: OwnFolders | null = null;

function patternOf(forms: readonly string[]): OwnFolders {
  const escaped = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_.-])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_-])`, "gu");
  return { forms, pattern };
}

/** Each folder as it is, as JSON has it, and as an address has it: on Windows these are three texts. */
function folderForms(): string[] {
  const folders = processFolders();
  return [...new Set(folders.flatMap((one) => [one, one.replaceAll("\\", "\\\\"), one.replaceAll("\\", "/")]))];
}
