/**
 * Removes what nobody outside should see: stack traces and paths of the file system in the texts of errors. Everything
 * that leaves the process passes here: responses, streams, history, snapshots, results, tools.
 *
 * Only texts of errors change. A path that a workflow shows in a field of its own is meant to be seen.
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
  if (typeof stack === "string" && /\n\s+at /.test(stack)) return true;
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

/**
 * Removes stack traces and replaces each absolute path by `<path>`.
 *
 * These stay: URLs with a host, relative paths, single parts (`/tmp`), and routes. A route stands behind an HTTP
 * method, or has an unusual first part and a number, an id, a placeholder or a query (`/orders/7`). In doubt a text is
 * a path.
 */
export function cleanText(text: string): string {
  return text.replace(stackLines, "").replace(paths, (found: string, ...rest: unknown[]) => {
    const [at, whole, groups] = rest.slice(-3) as [number, string, Readonly<Record<string, string | undefined>>];
    const { url, quote, quoted = found, encoded } = groups;
    if (url !== undefined) return found;
    if (encoded !== undefined) return isEncodedPath(encoded) ? "<path>" : found;
    const isAsked = method.test(whole.slice(Math.max(0, at - 12), at));
    if (isAsked || isRoute(quoted)) return found;
    return quote === undefined ? "<path>" : `${quote}<path>${quote}`;
  });
}

/** Also matches a thrown object that was converted to text, with its line breaks as `\n`. */
const stackLines = /(?:\r?\n|\\n)[ \t]+at (?:(?!\\n)[^\r\n"])*/g;
const method = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) ["'`]?$/;

/** First parts of file paths on common systems and in containers. */
const roots =
  "(?:Applications|Library|System|Users|Volumes|app|bin|boot|builds|cygdrive|dev|etc|home|layers|lib\\d*|mnt|nix|opt|private|proc|root|run|sbin|snap|srv|sys|tmp|usr|var|work|workspaces?)";
const rooted = new RegExp(`^/+${roots}/`);
const routeLike = /^\/(?:api|v\d+)\/|[/{:](?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z]+})(?=\/|$)|\/:\w+|\?\w+=/;
const host = /^\/\/[\w-]+(?:\.[\w-]+)+\//;

function isRoute(found: string): boolean {
  if (!found.startsWith("/") || rooted.test(found)) return false;
  return host.test(found) || (routeLike.test(found) && !/\.[A-Za-z]\w{0,7}(?::\d+)*$/.test(found));
}

function isEncodedPath(encoded: string): boolean {
  const decoded = encoded
    .replace(/%(?:25){0,3}([0-9A-Fa-f]{2})/g, (_found, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("%", "");
  return cleanText(decoded) !== decoded;
}

// Every repetition ends at a character that it does not match, or is bounded: hostile texts cost no more than others.
const letter = "(?:[^\\s/\\\\'\"`<>|:;,]|,(?=\\S)|(?<=\\p{L})'(?=\\p{L}))";
/** A name does not end with punctuation. */
const name = `${letter}*[^\\s/\\\\'"\`<>|:;,.!?)\\]}]`;
/** May contain spaces, because a separator follows. */
const folder = `${letter}+(?: ${letter}+){0,5}`;
/** May contain spaces, because an extension follows. */
const file = "[^\\s/\\\\'\"`<>|:;,.]+(?: [^\\s/\\\\'\"`<>|:;,.]+){0,5}(?:\\.\\w{1,8})+(?![\\p{L}\\p{N}_-])";
const line = "(?::\\d+){0,2}";
const inQuotes = "(?:(?!\\k<quote>(?!\\w))[^\\n]){0,1000}";
const notInside = "(?<![\\p{L}\\p{N}_/#])(?<!(?<!\\p{L})\\.)";

const paths = new RegExp(
  [
    "(?<url>(?<![\\w+.-])(?!file:|vscode[a-z-]*:)[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\\s/'\"`<>][^\\s'\"`<>]*)",
    // Names in quotes may contain anything.
    `(?<quote>['"\`])(?<quoted>(?:file:/|~?/|[A-Za-z]:[\\\\/]|\\\\\\\\)(?=${inQuotes}[/\\\\])${inQuotes})\\k<quote>(?!\\w)`,
    `(?:file:[/\\\\]+|vscode(?:-[a-z]+)*:/+)(?:${letter}|[/\\\\:])*[^\\s/\\\\'"\`<>|:;,.!?)\\]}]`,
    // Windows paths, on a drive or a server. JSON doubles their separators.
    `(?<![\\p{L}\\p{N}])(?:\\\\{2,}[?.]\\\\+)?(?:[A-Za-z]:[\\\\/]+|\\\\{2,}(?=[^\\s\\\\]+\\\\))(?:${folder}[\\\\/]+)*(?:${file}|${name})[\\\\/]*${line}`,
    `${notInside}~?/+(?:${roots}/+(?:${folder}/+)*(?:${file}|${name})|(?:${letter}+/+)+${name})(?:/:\\w+)*/?${line}(?:\\?[\\w=&%.-]*\\w)?`,
    "(?<encoded>(?<![\\w%])(?:[A-Za-z]{1,10}(?=%))?%(?:25){0,3}(?:2[Ff]|5[Cc]|3[Aa])[\\w.~+@%()-]*)",
  ].join("|"),
  "gu",
);
