/**
 * The options of every call: their names, and the kinds of their values. Which ids, labels or numbers there may be, the server says.
 *
 * @module
 */
import { callable, flag, formatValue, list, object, optionProblems, type Rule, ruleOf, valueRule } from "millrace/wire";
import { isPlain } from "../wire/value.js";
import type { Rules } from "./check-options.js";

const isText = (value: unknown): value is string => typeof value === "string";
export const text: Rule = valueRule(isText, "a text");

/** Accepts anything that behaves like an `AbortSignal`, since a page may contain several copies of the class. */
const signal: Rule = ruleOf((value) => {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return null;
  const hint = Object(value).signal === undefined ? "" : "; pass its `signal`";
  return `is ${formatValue(value)}, not an AbortSignal${hint}`;
});

/** @param problemOf That of an object; `null` counts as left out. */
function ifObject(problemOf: (value: object) => string | null): Rule {
  const rule = ruleOf((value) => problemOf(Object(value)));
  return (value, option) => [...object(value, option), ...rule(value, option)].slice(0, 1);
}

/** By name of the kind; the kind of all others is text. */
const kinds: Readonly<Record<string, Rule>> = {
  signal,
  /** It travels in a header, which cannot hold other characters. */
  key: valueRule(
    (value) => isText(value) && /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(value),
    "a text of 1 to 200 ASCII characters, with no space around it",
  ),
  flag,
  list,
  object,
  number: valueRule(Number.isFinite, "a number"),
  time: valueRule(
    (value) => Number.isFinite(value instanceof Date ? +value : value),
    "a Date, or milliseconds since 1970",
  ),
  texts: valueRule((value) => [value].flat().every(isText), "a text, or a list of texts"),
  /** Fields of a state. They travel as JSON without type information for other values. */
  json: ifObject((value) => (isPlain(value) ? null : "contains a value that JSON cannot hold, such as a Date")),
};

/** @param names With the kinds of their values: `limit:number`. */
export function rulesOf(names: string): Rules {
  return Object.fromEntries(
    names.split(" ").map((one) => {
      const [name, kind] = one.split(":") as [string, string?];
      return [name, kinds[kind ?? name] ?? text];
    }),
  );
}

const filter =
  "signal workflow:texts status:texts waiting:flag queued:flag labels:object input:object queue failure failedStep version search createdAfter:time createdBefore:time";
export const call: Rules = rulesOf("signal");
export const keyed: Rules = rulesOf("signal key");
export const run: Rules = rulesOf("signal key queue queueKey priority:number handlerId labels:object dedupe:object");
export const handle: Rules = rulesOf("signal workflow");
export const send: Rules = rulesOf("signal key step");
export const cancel: Rules = rulesOf("signal key reason");
export const stream: Rules = rulesOf("signal after:number");
export const runs: Rules = rulesOf(`${filter} order limit:number cursor`);
export const eachRun: Rules = rulesOf(`${filter} order cursor pageSize:number`);
export const watchRuns: Rules = rulesOf(filter);
export const matching: Rules = rulesOf("signal action where:object cancelledBy most:number");
export const bulk: Rules = rulesOf(
  "signal key action where:object cancelledBy handlerIds:list handlerId perSecond:number reason fields:json prompt",
);
export const counts: Rules = rulesOf("signal workflow:texts labels:object");
export const page: Rules = rulesOf("signal prefix limit:number cursor");
const ended = "signal workflow:texts after:time before:time";
export const statistics: Rules = rulesOf(`${ended} by`);
export const failures: Rules = rulesOf(`${ended} version limit:number`);
export const histogram: Rules = rulesOf(`${filter} periods:number`);
export const audit: Rules = rulesOf("signal workflow:texts user door action handlerId limit:number cursor");
export const history: Rules = rulesOf(
  "signal after:number before:number types:list changes:flag follow:flag pageSize:number",
);
export const attempts: Rules = rulesOf("signal after:number pageSize:number");
export const moment: Rules = rulesOf("signal tick:number childId item:number");
export const fork: Rules = rulesOf("signal key at:number handlerId state:json event:json item:number override:json");
export const schedule: Rules = rulesOf(
  "signal queue queueKey priority:number cron timezone workflow input:object overlap catchUp labels:object",
);
export const next: Rules = rulesOf("signal count:number");

// ---- of the client itself

/** A path is complete only on a page. It is taken everywhere, because a page may be rendered where no request is made. */
const anyPage = "http://page";

const urlRule: Rule = ruleOf((value) => {
  const given = value instanceof URL ? value.href : value;
  const shown = `is ${formatValue(given)}`;
  if (typeof given !== "string" || !URL.canParse(given, anyPage)) return `${shown}, which is not a URL`;
  const { protocol, search, hash } = new URL(given, anyPage);
  if (!/^https?:$/.test(protocol)) return `${shown}, which does not begin with \`http://\` or \`https://\``;
  return search || hash ? `${shown}, with something behind its path` : null;
});

export const atLeast = (least: number): Rule =>
  valueRule((value) => typeof value === "number" && value >= least, `a number from ${least}`);

const retry: Rules = {
  maxAttempts: atLeast(1),
  delayMs: atLeast(0),
  maxDelayMs: atLeast(0),
  maxRetryAfterMs: atLeast(0),
};

export const client: Rules = {
  baseUrl: (value, option) => (value === undefined ? [`\`${option}\` is missing`] : urlRule(value, option)),
  fetch: callable,
  headers: valueRule((value) => value === null || Object(value) === value, "headers"),
  retry: (value, option) => {
    const wrong = value === false ? [] : object(value, option);
    return wrong.length > 0 ? wrong : optionProblems(Object(value), retry, `${option}.`);
  },
  timeoutMs: atLeast(1),
  streamTimeoutMs: atLeast(1),
  events: ifObject((classes) => {
    const bad = Object.entries(classes).find(([, one]) => typeof one !== "function" || typeof one.type !== "string");
    return bad === undefined ? null : `has ${formatValue(bad[0])}, which is not an event class`;
  }),
};
