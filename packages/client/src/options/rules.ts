/**
 * Rules for the options of every call. The limits are those of the server, so that requests which it would refuse are
 * not sent.
 *
 * @module
 */

import {
  callable,
  flag,
  formatValue,
  labelPattern,
  most,
  object,
  oneOf,
  outsideId,
  type Rule,
  ruleOf,
  searchPattern,
  statuses,
  valueRule,
  wholeNumber,
} from "millrace/wire";
import { isPlain } from "../wire/value.js";
import { problemsOf, type Rules } from "./check-options.js";

export const atLeast = (least: number): Rule =>
  valueRule((value) => typeof value === "number" && value >= least, `a number from ${least}`);

export const positiveMs: Rule = valueRule(
  (value) => typeof value === "number" && value > 0,
  "a number of milliseconds above 0",
);

const anyText: Rule = textRule(/^/, "a text");
export const text: Rule = textRule(/./s, "a text");

function textRule(pattern: RegExp, expected: string): Rule {
  return valueRule((value) => typeof value === "string" && pattern.test(value), expected);
}

/** Id of a run. */
export const id: Rule = ruleOf((value) =>
  typeof value === "string" && value.length <= outsideId.longest && outsideId.pattern.test(value)
    ? null
    : `is ${formatValue(value)}, not a text of 1 to ${outsideId.longest} characters: ${outsideId.meaning}`,
);

/** Idempotency key. It travels in a header, which cannot hold other characters. */
export const key: Rule = textRule(
  /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/,
  "a text of 1 to 200 ASCII characters, with no space around it",
);

/** Accepts anything that behaves like an `AbortSignal`, since a page may contain several copies of the class. */
const signal: Rule = ruleOf((value) => {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return null;
  const hint = Object(value).signal === undefined ? "" : "; give the `signal` of the controller";
  return `is ${formatValue(value)}, not an AbortSignal${hint}`;
});

/** Accepts one value or a list of them: the first problem counts. */
const oneOrMore =
  (one: Rule): Rule =>
  (value, option) =>
    [value]
      .flat()
      .flatMap((item) => one(item, option))
      .slice(0, 1);

const status: Rule = ruleOf((value) => {
  if (statuses.includes(value as never)) return null;
  const hint = value === "waiting" ? "; a run that waits is running: ask for `waiting: true`" : "";
  return `is ${formatValue(value)}, not one of ${statuses.join(", ")}${hint}`;
});

/** Fields of a state. They travel as JSON without type information for other values. */
const jsonFields: Rule = ifObject((value) =>
  isPlain(value) ? null : "holds a value that JSON cannot, such as a Date; give what JSON can hold",
);

/** @param problemOf That of an object; `null` counts as left out. */
function ifObject(problemOf: (value: object) => string | null): Rule {
  const rule = ruleOf((value) => problemOf(Object(value)));
  return (value, option) => [...object(value, option), ...rule(value, option)].slice(0, 1);
}

const time: Rule = valueRule(
  (value) => Number.isFinite(value instanceof Date ? value.getTime() : value),
  "a Date, or milliseconds since 1970",
);

const labels: Rule = ifObject((value) => {
  const pairs = Object.entries(value);
  if (pairs.length > most.labels) return `has ${pairs.length} labels; the most is ${most.labels}`;
  const bad = pairs.find(([name, label]) => !isLabel(name, label));
  return bad === undefined ? null : `has ${bad.map(formatValue).join(": ")}; ${labelRule}`;
});

const labelRule = `names have 1 to 100 characters, no \`=\` and no \`millrace.\` in front, and labels are texts of at most ${most.labelValue}`;

function isLabel(name: string, label: unknown): boolean {
  return labelPattern.test(name) && typeof label === "string" && label.length <= most.labelValue;
}

const int32 = 2 ** 31;

const dedupe: Rule = ifObject((value) => problemsOf(value, dedupeRules, "dedupe.").join("; ") || null);
const dedupeRules: Rules = {
  key: text,
  for: valueRule((value) => typeof value === "string" || (typeof value === "number" && value > 0), "a time"),
  failed: oneOf("keep", "replace"),
};

const page: Rule = wholeNumber(1, most.page);

/** Rules of options that mean the same in every call. */
const options = {
  signal,
  key,
  handlerId: id,
  labels,
  dedupe,
  queue: text,
  queueKey: anyText,
  priority: wholeNumber(-int32, int32 - 1),
  workflow: oneOrMore(text),
  status: oneOrMore(status),
  waiting: flag,
  search: valueRule(
    (value) => typeof value === "string" && value.length <= most.search && searchPattern.test(value),
    `a text of at most ${most.search} characters that can be seen`,
  ),
  createdAfter: time,
  createdBefore: time,
  order: oneOf("newest", "oldest"),
  limit: page,
  pageSize: page,
  count: page,
  cursor: text,
  prefix: text,
  step: text,
  childId: text,
  reason: anyText,
  after: wholeNumber(0),
  before: wholeNumber(1),
  at: wholeNumber(1),
  item: wholeNumber(1),
  tick: wholeNumber(0),
  keepEvents: wholeNumber(0),
  types: (value, option) =>
    Array.isArray(value) ? oneOrMore(text)(value, option) : valueRule(() => false, "a list of types")(value, option),
  changes: flag,
  follow: flag,
  state: jsonFields,
  event: jsonFields,
  input: object,
  cron: text,
  timezone: text,
  overlap: oneOf("skip", "queue", "allow"),
  catchUp: oneOf("last", "all", "none"),
} satisfies Rules;

/** @param own Rules of options that mean something else here. */
function rulesOf(names: string, own: Rules = {}): Rules {
  const known: Rules = options;
  return { ...Object.fromEntries(names.split(" ").map((name) => [name, known[name] as Rule])), ...own };
}

// ---- by call

const filter = "signal workflow status waiting labels queue search createdAfter createdBefore";
export const call: Rules = rulesOf("signal");
export const keyed: Rules = rulesOf("signal key");
export const run: Rules = rulesOf("signal key queue queueKey priority handlerId labels dedupe");
export const handle: Rules = rulesOf("signal", { workflow: text });
export const send: Rules = rulesOf("signal key step");
export const cancel: Rules = rulesOf("signal key reason");
export const stream: Rules = rulesOf("signal", { after: wholeNumber(-1) });
export const runs: Rules = rulesOf(`${filter} order limit cursor`);
export const eachRun: Rules = rulesOf(`${filter} order cursor pageSize`);
export const watchRuns: Rules = rulesOf(filter);
export const counts: Rules = rulesOf("signal workflow labels");
export const sessions: Rules = rulesOf("signal prefix cursor", { limit: wholeNumber(1, most.sessionPage) });
export const history: Rules = rulesOf("signal after before types changes follow pageSize");
export const attempts: Rules = rulesOf("signal after pageSize");
export const moment: Rules = rulesOf("signal tick childId");
export const fork: Rules = rulesOf("signal key at handlerId state event item");
export const useRun: Rules = rulesOf("input labels keepEvents", {
  handlerId: (value, option) => (value === null ? [] : id(value, option)),
});
export const schedule: Rules = rulesOf("signal queue queueKey priority cron timezone input overlap catchUp labels", {
  workflow: text,
});
export const schedules: Rules = rulesOf("signal prefix limit cursor");
export const next: Rules = rulesOf("signal count");

const retry: Rules = {
  maxAttempts: atLeast(1),
  delayMs: atLeast(0),
  maxDelayMs: atLeast(0),
  maxRetryAfterMs: atLeast(0),
};

const clientRules: Rules = {
  baseUrl: ruleOf(problemOfUrl),
  fetch: callable,
  headers: valueRule((value) => typeof value === "object" || typeof value === "function", "headers"),
  retry: valueRule((value) => value === false || isOptions(value), "options or `false`"),
  timeoutMs: positiveMs,
  streamTimeoutMs: positiveMs,
  events: ifObject(problemOfClasses),
};

export function problemsOfClient(options: unknown): string[] {
  const { baseUrl, retry: repeats } = Object(options) as { baseUrl?: unknown; retry?: unknown };
  const missing = typeof options === "object" && options !== null && baseUrl === undefined;
  return [
    ...(missing ? ["`baseUrl` is missing"] : []),
    ...problemsOf(options, clientRules),
    ...(isOptions(repeats) ? problemsOf(repeats, retry, "retry.") : []),
  ];
}

function isOptions(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A path is complete only on a page. It is taken everywhere, because a page may be rendered where no request is made. */
const anyPage = "http://page";

function problemOfUrl(value: unknown): string | null {
  const given = value instanceof URL ? value.href : value;
  if (typeof given !== "string" || !URL.canParse(given, anyPage)) return `is ${formatValue(given)}, which is not a URL`;
  const { protocol, search, hash } = new URL(given, anyPage);
  if (!/^https?:$/.test(protocol))
    return `is ${formatValue(given)}, which does not begin with \`http://\` or \`https://\``;
  return search || hash ? `is ${formatValue(given)}, with something behind its path` : null;
}

function problemOfClasses(classes: object): string | null {
  const bad = Object.entries(classes).find(([, one]) => typeof one !== "function" || typeof one.type !== "string");
  return bad === undefined ? null : `has ${formatValue(bad[0])}, which is not an event class`;
}
