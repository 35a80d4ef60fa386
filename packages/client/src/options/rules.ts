/**
 * Rules for the options of every call. The limits are those of the server, so that requests which it would refuse are
 * not sent.
 *
 * @module
 */

import { show } from "../show.js";
import { isPlain } from "../wire/value.js";
import { problemsOf, type Rule, type Rules } from "./check-options.js";

const rule =
  (isRight: (value: never) => boolean, expected: string): Rule =>
  (value) =>
    isRight(value as never) ? null : `is ${show(value)}, not ${expected}`;

/** A whole number. */
export const count = (least: number, most: number = Number.MAX_SAFE_INTEGER): Rule =>
  rule(
    (value: number) => Number.isInteger(value) && value >= least && value <= most,
    `a whole number ${most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`}`,
  );

export const atLeast = (least: number): Rule =>
  rule((value) => typeof value === "number" && value >= least, `a number from ${least}`);

export const positiveMs: Rule = rule(
  (value) => typeof value === "number" && value > 0,
  "a number of milliseconds above 0",
);

export const text: Rule = rule((value: unknown) => typeof value === "string" && value !== "", "a text");
const anyText: Rule = rule((value: unknown) => typeof value === "string", "a text");
const flag: Rule = rule((value: unknown) => typeof value === "boolean", "true or false");
export const callable: Rule = rule((value: unknown) => typeof value === "function", "a function");

export const object: Rule = rule(
  (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value),
  "an object",
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
const idPattern = /^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]{1,200}$/u;
/** Id of a run. */
export const id: Rule = rule(
  (value: unknown) => typeof value === "string" && idPattern.test(value),
  "a text of 1 to 200 characters without control characters, other than `.` and `..`",
);

/** Idempotency key. It travels in a header, which cannot hold other characters. */
export const key: Rule = rule(
  (value: unknown) => typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(value),
  "a text of 1 to 200 ASCII characters, with no space around it",
);

/** Accepts anything that behaves like an `AbortSignal`, since a page may contain several copies of the class. */
const signal: Rule = (value) => {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return null;
  const hint = Object(value).signal === undefined ? "" : "; give the `signal` of the controller";
  return `is ${show(value)}, not an AbortSignal${hint}`;
};

/** Accepts one value or a list of them. */
const oneOrMore =
  (one: Rule): Rule =>
  (value) => {
    for (const item of Array.isArray(value) ? value : [value]) {
      const problem = one(item);
      if (problem !== null) return problem;
    }
    return null;
  };

const statuses = ["running", "completed", "failed", "cancelled"];
const status: Rule = (value) => {
  if (statuses.includes(value as string)) return null;
  const hint = value === "waiting" ? "; a run that waits is running: ask for `waiting: true`" : "";
  return `is ${show(value)}, not one of ${statuses.map(show).join(", ")}${hint}`;
};

/** Fields of a state. They travel as JSON without type information for other values. */
const jsonFields: Rule = (value) =>
  object(value) ?? (isPlain(value) ? null : "holds a value that JSON cannot, such as a Date; give what JSON can hold");

const time: Rule = rule(
  (value: Date | number) => Number.isFinite(value instanceof Date ? value.getTime() : value),
  "a Date, or milliseconds since 1970",
);

const labels: Rule = (value) => {
  const wrong = object(value);
  if (wrong !== null) return wrong;
  const pairs = Object.entries(value as object);
  if (pairs.length > 50) return `has ${pairs.length} labels; the most is 50`;
  const bad = pairs.find(([name, label]) => !isLabel(name, label));
  return bad === undefined ? null : `has ${show(bad[0])}: ${show(bad[1])}; ${labelRule}`;
};

const labelRule =
  "names have 1 to 100 characters, no `=` and no `millrace.` in front, and labels are texts of at most 255";

function isLabel(name: string, label: unknown): boolean {
  return /^(?!millrace\.)[^=]{1,100}$/u.test(name) && typeof label === "string" && label.length <= 255;
}

const int32 = 2 ** 31;
/** Where a run waits. */
const place: Rules = { queue: text, queueKey: anyText, priority: count(-int32, int32 - 1) };

const oneOf = (words: readonly string[]): Rule =>
  rule((value: unknown) => words.includes(value as string), `one of ${words.map(show).join(", ")}`);

const dedupe: Rule = (value) => object(value) ?? (problemsOf(value, dedupeRules, "dedupe").join("; ") || null);
const dedupeRules: Rules = {
  key: text,
  for: rule((value: unknown) => typeof value === "string" || (typeof value === "number" && value > 0), "a time"),
  failed: oneOf(["keep", "replace"]),
};

const searchRule = "a text of at most 200 characters that can be seen";

export const call: Rules = { signal };
export const keyed: Rules = { ...call, key };
const filter: Rules = {
  ...call,
  workflow: oneOrMore(text),
  status: oneOrMore(status),
  waiting: flag,
  labels,
  queue: text,
  search: rule((value: unknown) => typeof value === "string" && /^\P{C}{0,200}$/u.test(value), searchRule),
  createdAfter: time,
  createdBefore: time,
};
const listed: Rules = { ...filter, order: oneOf(["newest", "oldest"]) };

// ---- by call

export const run: Rules = { ...keyed, ...place, handlerId: id, labels, dedupe };
export const handle: Rules = { ...call, workflow: text };
export const send: Rules = { ...keyed, step: text };
export const cancel: Rules = { ...keyed, reason: anyText };
export const stream: Rules = { ...call, after: count(-1) };
export const runs: Rules = { ...listed, limit: count(1, 1_000), cursor: text };
export const eachRun: Rules = { ...listed, cursor: text, pageSize: count(1, 1_000) };
export const watchRuns: Rules = filter;
export const counts: Rules = { ...call, workflow: filter["workflow"] as Rule, labels };
export const sessions: Rules = { ...call, prefix: text, limit: count(1, 100), cursor: text };
export const history: Rules = {
  ...call,
  after: count(0),
  before: count(1),
  types: (value) => (Array.isArray(value) ? oneOrMore(text)(value) : `is ${show(value)}, not a list of types`),
  changes: flag,
  follow: flag,
  pageSize: count(1, 1_000),
};
export const attempts: Rules = { ...call, after: count(0), pageSize: count(1, 1_000) };
export const fork: Rules = {
  ...keyed,
  at: count(1),
  handlerId: id,
  state: jsonFields,
  event: jsonFields,
  item: count(1),
};
export const useRun: Rules = {
  input: object,
  handlerId: (value) => (value === null ? null : id(value)),
  labels,
  keepEvents: count(0),
};
export const schedule: Rules = {
  ...call,
  ...place,
  cron: text,
  timezone: text,
  workflow: text,
  input: object,
  overlap: oneOf(["skip", "queue", "allow"]),
  catchUp: oneOf(["last", "all", "none"]),
  labels,
};
export const schedules: Rules = { ...call, prefix: text, limit: count(1, 1_000), cursor: text };
export const next: Rules = { ...call, count: count(1, 1_000) };

const retry: Rules = {
  maxAttempts: atLeast(1),
  delayMs: atLeast(0),
  maxDelayMs: atLeast(0),
  maxRetryAfterMs: atLeast(0),
};

const clientRules: Rules = {
  baseUrl: problemOfUrl,
  fetch: callable,
  headers: (value) =>
    typeof value === "object" || typeof value === "function" ? null : `is ${show(value)}, no headers`,
  retry: (value) => (value === false || object(value) === null ? null : `is ${show(value)}, not options or \`false\``),
  timeoutMs: positiveMs,
  streamTimeoutMs: positiveMs,
  events: (value) => object(value) ?? problemOfClasses(value as object),
};

export function problemsOfClient(options: unknown): string[] {
  const { baseUrl, retry: repeats } = Object(options) as { baseUrl?: unknown; retry?: unknown };
  const missing = typeof options === "object" && options !== null && baseUrl === undefined;
  return [
    ...(missing ? ["`baseUrl` is missing"] : []),
    ...problemsOf(options, clientRules),
    ...(object(repeats) === null ? problemsOf(repeats, retry, "retry") : []),
  ];
}

/** A path is complete only on a page. It is taken everywhere, because a page may be rendered where no request is made. */
const anyPage = "http://page";

function problemOfUrl(value: unknown): string | null {
  const given = value instanceof URL ? value.href : value;
  if (typeof given !== "string" || !URL.canParse(given, anyPage)) return `is ${show(given)}, which is not a URL`;
  const { protocol, search, hash } = new URL(given, anyPage);
  if (!/^https?:$/.test(protocol)) return `is ${show(given)}, which does not begin with \`http://\` or \`https://\``;
  return search || hash ? `is ${show(given)}, with something behind its path` : null;
}

function problemOfClasses(classes: object): string | null {
  const bad = Object.entries(classes).find(([, one]) => typeof one !== "function" || typeof one.type !== "string");
  return bad === undefined ? null : `has ${show(bad[0])}, which is not an event class`;
}
