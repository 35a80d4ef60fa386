/**
 * Checks the body of a request to the function, by hand, because a schema library would be most of what is deployed. It
 * accepts what the schemas of the server accept.
 *
 * @module
 */
import type { StartBody } from "millrace/wire";
import { bodyInvalid, type Issue } from "../http/http-error.js";
import { idMeaning, idPattern, labelMeaning, labelPattern, most, unreadKeys } from "../wire/names.js";

type Fields = Record<string, unknown>;

/** A function takes no `queue`: the runtime of a request has none. */
export interface RequestBody extends Omit<StartBody, "queue" | "queue_key" | "priority" | "dedupe"> {
  readonly prompt_id?: string | null | undefined;
  readonly fields?: Fields | null | undefined;
  readonly meta?: unknown;
  readonly event?: string | Fields | null | undefined;
  readonly step?: string | null | undefined;
}

/** Describes the problem of a value; `null` when there is none. */
type Check = (value: unknown) => string | null;

const checks: { readonly [Name in keyof RequestBody]-?: Check } = {
  start_event: either(isText(), isObject),
  kwargs: isObject,
  handler_id: idProblem,
  labels: labelsProblem,
  context: () => null,
  prompt_id: isText(1, most.promptId),
  fields: isObject,
  meta: () => null,
  event: either(isText(), isObject),
  step: isText(1),
};

/** @throws {HttpError} `BODY_INVALID` naming every problem. */
export function checkBody(body: unknown): RequestBody {
  const problem = isObject(body);
  if (problem !== null) throw wrong([{ path: "", message: problem }]);
  const given = body as Fields;
  const unread = Object.keys(given).filter((name) => !Object.hasOwn(checks, name));
  const issues: Issue[] = unread.length === 0 ? [] : [{ path: "", message: unreadKeys(unread) }];
  for (const [path, check] of Object.entries(checks)) {
    const message = given[path] === undefined || given[path] === null ? null : check(given[path]);
    if (message !== null) issues.push({ path, message });
  }
  if (issues.length > 0) throw wrong(issues);
  return Object.fromEntries(Object.keys(checks).flatMap((name) => (name in given ? [[name, given[name]]] : [])));
}

export function idProblem(value: unknown): string | null {
  return isText(1, most.id)(value) ?? (idPattern.test(value as string) ? null : idMeaning);
}

function wrong(issues: readonly Issue[]): Error {
  const said = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return bodyInvalid(`The body is invalid: ${said.join("; ")}.`, issues);
}

function isText(from = 0, to = Number.POSITIVE_INFINITY): Check {
  return (value) => {
    if (typeof value !== "string") return "is not a string";
    if (value.length < from) return "is empty";
    return value.length <= to ? null : `is longer than ${to} characters`;
  };
}

function isObject(value: unknown): string | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "is not an object";
}

function either(one: Check, other: Check): Check {
  return (value) => (one(value) === null || other(value) === null ? null : "is neither a text nor an object");
}

function labelsProblem(value: unknown): string | null {
  if (isObject(value) !== null) return "is not an object";
  const labels = Object.entries(value as Fields);
  if (labels.length > most.labels) return `at most ${most.labels} labels`;
  if (labels.some(([name]) => !labelPattern.test(name))) return labelMeaning;
  return labels.some(([, text]) => isText(0, most.labelValue)(text) !== null)
    ? `the value of a label is a text of at most ${most.labelValue} characters`
    : null;
}
