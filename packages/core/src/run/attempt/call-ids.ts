/**
 * The ids of the recorded calls of a work item, and the idempotency keys of `ctx.run`.
 *
 * ```text
 * run=pay               a call with a key          1:edit=pay   the second one with this key
 * send:Paid#0           a call without a key       wait:Go#1    the second wait for Go
 * /@mail/run=pay        in a scope
 * /run=pay/send:Paid#0  in the function of a call
 * ```
 *
 * An id that begins with a slash is a path. Its segments are escaped, so the scope `a/b` with the key `c` is never the scope `a` with
 * the key `b/c`.
 *
 * @module
 */

import { formatValue } from "../../value/kind.js";
import { wrongOption } from "../../value/options.js";

const SCOPE = "@";

/** @param scope A path of scopes, as `/@mail/@retry`; empty for the step itself. */
export function inScope(scope: string, name: string): string {
  return scope === "" ? name : `${scope}/${segment(name)}`;
}

/** The path of a scope in another one. */
export function scopeIn(outer: string, name: string): string {
  return `${outer}/${segment(SCOPE + name)}`;
}

/** The name of a call that is made in the function of another one, so that calls at the same time do not count each other. */
export function insideCall(call: string | null, name: string): string {
  if (call === null) return name;
  const outer = isPath(call) ? call : `/${segment(call)}`;
  return isPath(name) ? outer + name : `${outer}/${segment(name)}`;
}

/** The first call with a key has no number, so moving it in the code does not change its id. */
export function idOf(name: string, count: number): string {
  if (!isKeyed(name)) return `${name}#${count}`;
  if (count === 0) return name;
  const at = pathLength(name);
  return `${name.slice(0, at)}${count}:${name.slice(at)}`;
}

/** Equal over retries and restores, and different for every call of a run. The step itself has no scope, and its keys are as given. */
export function idempotencyKey(owner: string, scope: string, key: string): string {
  return scope === "" ? `${owner}:${key}` : `${owner}${inScope(scope, key)}`;
}

/** Returns whether the call was made in the function of another one. */
export function isInsideCall(call: string): boolean {
  return /^(?:\/@[^/]*)*\/[^@/][^/]*\//.test(call);
}

/** Returns whether the call, in any scope, is of this kind and without a key. */
export function isOfKind(kind: string, call: string): boolean {
  return call.startsWith(`${kind}:`, pathLength(call));
}

/** The key of a call that has one. */
export function keyOf(call: string): string {
  return unescaped(call.slice(call.indexOf("=", pathLength(call)) + 1));
}

/** The meaning of a segment of a path. */
export function unescaped(part: string): string {
  return part.replace(/%2F|%25/g, decodeURIComponent);
}

export function isPath(name: string): boolean {
  return name.startsWith("/");
}

function isKeyed(name: string): boolean {
  return /^\w+=/.test(name.slice(pathLength(name)));
}

function segment(name: string): string {
  return name.replace(/[%/]/g, encodeURIComponent);
}

function pathLength(name: string): number {
  return isPath(name) ? name.lastIndexOf("/") + 1 : 0;
}

// ---- the names of calls in their scope, of which their ids are made

/**
 * The name of a call: its key, or its subject. Calls without a key are counted by name.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 */
export function nameOf(kind: string, about: string, key: string | undefined): string {
  return key === undefined ? `${kind}:${about}` : keyed(kind, key);
}

/** The name of a call with a key. @throws {WorkflowError} `OPTION_INVALID` */
export function keyed(kind: string, key: string): string {
  assertName(key, "key");
  return `${kind}=${key}`;
}

/** Keys of calls and names of scopes have one rule. @throws {WorkflowError} `OPTION_INVALID` */
export function assertName(name: unknown, option: "key" | "scope"): void {
  if (typeof name === "string" && name !== "") return;
  const what = `is ${name === "" ? "empty" : formatValue(name)}; it must be a text`;
  throw wrongOption(option, what, "Use a short text that is unique in the step.");
}
